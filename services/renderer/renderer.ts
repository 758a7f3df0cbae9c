import { consumers, idOfStream, subjects } from '#contracts/names.ts';
import type { Bus, Consumer } from '#libs/bus/port.ts';
import { consumeMessages } from '#libs/bus/consume-messages.ts';
import { messageLogFields, processWithTrace } from '#libs/telemetry/message-tracing.ts';
import { traceRendering } from '#application/renders/telemetry.ts';
import { diagnoseRender } from '#application/renders/diagnose-render.ts';
import { type RunRenderDependencies, runRender } from '#application/renders/run-render.ts';
import { regeneratePdf } from '#application/renders/regenerate-pdf.ts';

const consumer: Omit<Consumer, 'urgent'> = {
  name: consumers.renderer,
  subject: subjects.renderRequested,
  leaseMs: 10_000,
};

/** A render that takes long mostly waits, and leaves its place to others: at most so many renders run for each place. */
export const maxConcurrencyFactor = 4;

/** Takes renders from the bus, `concurrency` quick ones at a time, until `signal` aborts; resolves when what runs is finished. */
export const runRenderer = (
  given: RunRenderDependencies,
  bus: Bus,
  concurrency: number,
  signal: AbortSignal,
): Promise<void> => {
  const parts = traceRendering(given);
  return consumeMessages(
    bus,
    {
      consumer,
      permits: { maxQuick: concurrency, maxTotal: concurrency * maxConcurrencyFactor },
      handle: (delivery) => {
        const { stream, regenerate, diagnose } = delivery.data as { stream: string; regenerate?: true; diagnose?: true };
        return processWithTrace(delivery, consumer, (span) => {
          if (diagnose) return diagnoseRender(parts, stream, delivery.deliveryCount, span);
          return regenerate
            ? regeneratePdf(parts, stream, delivery.deliveryCount, span)
            : runRender(parts, stream, delivery.deliveryCount, span);
        });
      },
      onError: (error, delivery) =>
        parts.report(
          {
            render: idOfStream((delivery.data as { stream: string }).stream),
            ...messageLogFields(delivery),
            error: String(error),
          },
          'a render could not be worked on; it comes again',
        ),
    },
    signal,
  );
};

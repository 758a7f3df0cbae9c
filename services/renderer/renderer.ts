import { consumers, idOfStream, subjects } from '#contracts/names.ts';
import type { Bus, Consumer } from '#libs/bus/port.ts';
import { consumeMessages } from '#libs/bus/consume-messages.ts';
import { messageLogFields, processWithTrace } from '#libs/telemetry/message-tracing.ts';
import { traceRendering } from '#application/renders/telemetry.ts';
import { diagnoseRender } from '#application/renders/diagnose-render.ts';
import type { RunRenderDependencies } from '#application/renders/end-render.ts';
import { runRender } from '#application/renders/run-render.ts';
import { regeneratePdf } from '#application/renders/regenerate-pdf.ts';

type MessageData = { stream: string; regenerate?: true; diagnose?: true };

const consumer: Omit<Consumer, 'urgent'> = {
  name: consumers.renderer,
  subject: subjects.renderRequested,
  leaseMs: 10_000,
};

/** A slow render mostly waits and does not count as a quick one. At most this many renders run for each quick one. */
export const maxConcurrencyFactor = 4;

/**
 * Takes renders from the bus until `signal` aborts, `concurrency` quick ones at a time. Resolves when the renders that
 * have started are finished.
 */
export const runRenderer = (
  dependencies: RunRenderDependencies,
  bus: Bus,
  concurrency: number,
  signal: AbortSignal,
): Promise<void> => {
  const tracedDependencies = traceRendering(dependencies);
  return consumeMessages(
    bus,
    {
      consumer,
      permits: { maxQuick: concurrency, maxTotal: concurrency * maxConcurrencyFactor },
      handle: (message) => {
        const { stream, regenerate, diagnose } = message.data as MessageData;
        const handle = diagnose ? diagnoseRender : regenerate ? regeneratePdf : runRender;
        return processWithTrace(message, consumer, (span) =>
          handle(tracedDependencies, stream, message.deliveryCount, span),
        );
      },
      onError: (error, message) =>
        dependencies.report(
          {
            render: idOfStream((message.data as MessageData).stream),
            ...messageLogFields(message),
            error: String(error),
          },
          'render could not be processed; its message is delivered again',
        ),
    },
    signal,
  );
};

import { consumers, idOfStream, subjects } from '#contracts/names.ts';
import type { Bus, Consumer } from '#libs/bus/port.ts';
import { workOff } from '#libs/bus/work.ts';
import { idsOfMessage, workInTrace } from '#libs/telemetry/messages.ts';
import { tracedWorkshop } from '#application/renders/telemetry.ts';
import { diagnoseRender } from '#application/renders/diagnose-render.ts';
import { type RendererDependencies, runRender } from '#application/renders/run-render.ts';
import { makePdfAgain } from '#application/renders/make-pdf-again.ts';

const consumer: Omit<Consumer, 'urgent'> = { name: consumers.renderer, subject: subjects.renderRequested, leaseMs: 10_000 };

/** A render that takes long mostly waits, and leaves its place to others: at most so many renders run for each place. */
export const mostPerPlace = 4;

/** Takes renders from the bus, `concurrency` quick ones at a time, until `signal` aborts; resolves when what runs is finished. */
export const runRenderer = (given: RendererDependencies, bus: Bus, concurrency: number, signal: AbortSignal): Promise<void> => {
  const parts = tracedWorkshop(given);
  return workOff(
    bus,
    {
      consumer,
      places: { quick: concurrency, most: concurrency * mostPerPlace },
      work: (delivery) => {
        const { stream, again, diagnose } = delivery.data as { stream: string; again?: true; diagnose?: true };
        return workInTrace(delivery, consumer, (span) => {
          if (diagnose) return diagnoseRender(parts, stream, delivery.attempt, span);
          return again ? makePdfAgain(parts, stream, delivery.attempt, span) : runRender(parts, stream, delivery.attempt, span);
        });
      },
      onError: (error, delivery) => parts.report({ render: idOfStream((delivery.data as { stream: string }).stream), ...idsOfMessage(delivery), error: String(error) }, 'a render could not be worked on; it comes again'),
    },
    signal,
  );
};

import { consumers, subjects } from '#contracts/names.ts';
import type { Bus, Consumer } from '#libs/bus/port.ts';
import { workOff } from '#libs/bus/work.ts';
import type { Report } from '#libs/telemetry/log.ts';
import { idsOfMessage, workInTrace } from '#libs/telemetry/messages.ts';
import { tracedBlobs } from '#application/renders/telemetry.ts';
import { attemptTimeoutMs, deliver, type DeliveryDependencies, openDueTimes } from '#application/deliveries/deliver.ts';

const consumer: Omit<Consumer, 'urgent'> = { name: consumers.delivery, subject: subjects.deliveryDue, leaseMs: 1.5 * attemptTimeoutMs };

/** How many webhook deliveries are under way at most: many, since they cost little while their receivers are silent. */
const places = { quick: 1_000, most: 5_000 };

/** Sends callbacks until `signal` aborts; resolves when those under way are recorded. */
export const runDelivery = (given: Omit<DeliveryDependencies, 'dueTimes'>, bus: Bus, report: Report, signal: AbortSignal): Promise<void> => {
  const parts = { ...given, blobs: tracedBlobs(given.blobs), dueTimes: openDueTimes() };
  return workOff(
    bus,
    {
      consumer,
      places,
      work: (delivery) => workInTrace(delivery, consumer, (span) => deliver(parts, (delivery.data as { id: string }).id, delivery.attempt, span)),
      onError: (error, delivery) => report({ render: (delivery.data as { id: string }).id, ...idsOfMessage(delivery), error: String(error) }, 'a callback could not be worked on; it comes again'),
    },
    signal,
  );
};

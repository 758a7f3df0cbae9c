import { consumers, subjects } from '#contracts/names.ts';
import type { Bus, Consumer } from '#libs/bus/port.ts';
import { consumeMessages } from '#libs/bus/consume-messages.ts';
import type { Report } from '#libs/telemetry/logger.ts';
import { messageLogFields, processWithTrace } from '#libs/telemetry/message-tracing.ts';
import { traceBlobStore } from '#application/renders/telemetry.ts';
import {
  attemptTimeoutMs,
  deliverWebhook,
  type DeliveryDependencies,
  createAttemptSchedule,
} from '#application/deliveries/deliver-webhook.ts';

const consumer: Omit<Consumer, 'urgent'> = {
  name: consumers.delivery,
  subject: subjects.deliveryDue,
  leaseMs: 1.5 * attemptTimeoutMs,
};

/** How many webhook deliveries are under way at most: many, since they cost little while their receivers are silent. */
const permits = { maxQuick: 1_000, maxTotal: 5_000 };

/** Sends callbacks until `signal` aborts; resolves when those under way are recorded. */
export const runDeliveryWorker = (
  given: Omit<DeliveryDependencies, 'attemptSchedule'>,
  bus: Bus,
  report: Report,
  signal: AbortSignal,
): Promise<void> => {
  const parts = { ...given, blobs: traceBlobStore(given.blobs), attemptSchedule: createAttemptSchedule() };
  return consumeMessages(
    bus,
    {
      consumer,
      permits,
      handle: (delivery) =>
        processWithTrace(delivery, consumer, (span) =>
          deliverWebhook(parts, (delivery.data as { id: string }).id, delivery.deliveryCount, span),
        ),
      onError: (error, delivery) =>
        report(
          { render: (delivery.data as { id: string }).id, ...messageLogFields(delivery), error: String(error) },
          'a callback could not be worked on; it comes again',
        ),
    },
    signal,
  );
};

import { consumers, subjects } from '#contracts/names.ts';
import type { Bus, Consumer, LeasedMessage } from '#libs/bus/port.ts';
import { consumeMessages } from '#libs/bus/consume-messages.ts';
import type { Report } from '#libs/telemetry/logger.ts';
import { messageLogFields, processWithTrace } from '#libs/telemetry/message-tracing.ts';
import { traceBlobStore } from '#application/renders/telemetry.ts';
import { openFairQueue } from '#libs/concurrency/fair-queue.ts';
import { defaultLimits } from '#libs/egress/limits.ts';
import { attemptTimeoutMs, createAttemptSchedule } from '#application/deliveries/attempt-schedule.ts';
import { deliverWebhook, type DeliveryDependencies } from '#application/deliveries/deliver-webhook.ts';

const consumer: Omit<Consumer, 'urgent'> = {
  name: consumers.delivery,
  subject: subjects.deliveryDue,
  leaseMs: 1.5 * attemptTimeoutMs,
};

/** The limits are high, because an attempt costs little while it waits for its receiver. */
const permits = { maxQuick: 1_000, maxTotal: 5_000 };

const connectionLimits = {
  maxQuick: Infinity,
  maxTotal: Infinity,
  slowAfterMs: Infinity,
  maxPerGroup: defaultLimits.maxConnectionsPerHost,
};

const deliveryIdOf = ({ data }: LeasedMessage): string => (data as { id: string }).id;

/**
 * Sends webhooks until `signal` aborts. Resolves when the attempts that have started are recorded; those that wait for a
 * connection are not started.
 */
export const runDeliveryWorker = (
  dependencies: Omit<DeliveryDependencies, 'attemptSchedule' | 'connections'>,
  bus: Bus,
  report: Report,
  signal: AbortSignal,
): Promise<void> => {
  const connections = openFairQueue(connectionLimits);
  const stopping = new Error('the delivery worker stops');
  signal.addEventListener('abort', () => connections.close(stopping), { once: true });
  const deliveryDependencies = {
    ...dependencies,
    connections,
    blobs: traceBlobStore(dependencies.blobs),
    attemptSchedule: createAttemptSchedule(),
  };
  return consumeMessages(
    bus,
    {
      consumer,
      permits,
      handle: (message) =>
        processWithTrace(message, consumer, (span) =>
          deliverWebhook(deliveryDependencies, deliveryIdOf(message), message.deliveryCount, span).catch(
            (error: unknown) => {
              if (error !== stopping) throw error;
              return { kind: 'retry' as const, delayMs: 0 };
            },
          ),
        ),
      onError: (error, message) =>
        report(
          { render: deliveryIdOf(message), ...messageLogFields(message), error: String(error) },
          'webhook delivery could not be processed; its message is delivered again',
        ),
    },
    signal,
  );
};

import { setImmediate as nextTurn } from 'node:timers/promises';
import { createChangeSignal } from '#libs/concurrency/change-signal.ts';
import { createPermits, type PermitLimits, defaultSlowAfterMs } from '#libs/concurrency/permits.ts';
import { runTogether } from '#libs/concurrency/run-together.ts';
import { redeliveryDelayMs } from './redelivery-delays.ts';
import type { Bus, Consumer, LeasedMessage } from './port.ts';

/** The message is done, or is delivered again after the delay in milliseconds. */
export type MessageResult = { kind: 'done' } | { kind: 'retry'; delayMs: number };

export type MessageHandler = {
  /** Messages are taken from its urgent and its ordinary queue. */
  consumer: Omit<Consumer, 'urgent'>;
  /** How many messages are handled at the same time. */
  permits: Pick<PermitLimits, 'maxQuick' | 'maxTotal'>;
  handle: (message: LeasedMessage) => Promise<MessageResult>;
  /** Called when `handle` fails. The message is delivered again, each time after a longer delay. */
  onError: (error: unknown, message: LeasedMessage) => void;
};

const handleMessage = async ({ consumer, handle, onError }: MessageHandler, message: LeasedMessage): Promise<void> => {
  const renewal = setInterval(() => void message.extendLease().catch(() => undefined), consumer.leaseMs / 3);
  try {
    const result = await handle(message);
    await (result.kind === 'done' ? message.ack() : message.nak(result.delayMs));
  } catch (error) {
    onError(error, message);
    await message.nak(redeliveryDelayMs(message.deliveryCount)).catch(() => undefined);
  } finally {
    clearInterval(renewal);
  }
};

/**
 * Takes messages from both queues of the consumer and handles them until `signal` aborts. Resolves when the handlers
 * that have started are finished. The relay decides the order and keeps the queues short, so both queues are asked
 * whenever a permit is available for another account: the relay lets one have no more than `maxQuick`. If both have a
 * message at that moment, one handler more than the permits allow runs.
 */
export const consumeMessages = async (bus: Bus, handler: MessageHandler, signal: AbortSignal): Promise<void> => {
  const permits = createPermits({ ...handler.permits, slowAfterMs: defaultSlowAfterMs });
  const running = new Set<Promise<void>>();
  // Promise.race over `running` would add a reaction to each handler at every turn, and thousands of handlers wait for
  // slow receivers.
  const ends = createChangeSignal();

  const start = (message: LeasedMessage): void => {
    const release = permits.acquire('');
    const run: Promise<void> = handleMessage(handler, message).finally(() => {
      running.delete(run);
      release();
      ends.notify();
    });
    running.add(run);
  };

  const consumeQueue = async (urgent: boolean, signal: AbortSignal): Promise<void> => {
    const consumer: Consumer = { ...handler.consumer, urgent };
    while (!signal.aborted) {
      if (!permits.isAvailable()) {
        await ends.waitForChange(undefined, permits.msUntilNextSlow() ?? undefined);
        continue;
      }
      const message = await bus.next(consumer, signal);
      if (!message) return;
      start(message);
      // Thousands of redeliveries can be due at once. Other work of the process can run between two of them.
      await nextTurn();
    }
  };

  await runTogether(
    signal,
    (loopSignal) => consumeQueue(true, loopSignal),
    (loopSignal) => consumeQueue(false, loopSignal),
  );
  await Promise.all(running);
};

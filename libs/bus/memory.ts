import { type Bus, type Consumer, type LeasedMessage, deduplicationWindowMs, type Message } from './port.ts';

type QueuedMessage = { message: Message; deliveryCount: number };
type Timers = { now: () => number; schedule: (ms: number, act: () => void) => () => void };
type Waiter = (entry: QueuedMessage | null) => void;
type Queue = { waiting: QueuedMessage[]; waiters: Waiter[]; unfinishedCount: number };

const systemTimers: Timers = {
  now: () => performance.now(),
  schedule: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

/** Not at every publication: iterating a Map also passes over entries that were deleted before. */
const idCleanupIntervalMs = 1_000;

const keyOf = ({ subject, urgent }: { subject: string; urgent?: boolean }): string => `${subject} ${urgent === true}`;

/** Queues in the memory of one process. After a restart the relay fills them again from the event log. Tests replace the timers. */
export const openMemoryBus = (timers: Timers = systemTimers): Bus => {
  const { now } = timers;
  const queues = new Map<string, Queue>();
  const unfinishedIds = new Set<string>();
  /** Ids of finished messages, with the time until which they are remembered, the earliest first. */
  const finishedIds = new Map<string, number>();
  const cancels = new Set<() => void>();
  let closed = false;

  const queueOf = (name: { subject: string; urgent?: boolean }): Queue => {
    const key = keyOf(name);
    const queue = queues.get(key) ?? { waiting: [], waiters: [], unfinishedCount: 0 };
    queues.set(key, queue);
    return queue;
  };
  const offer = (queue: Queue, entry: QueuedMessage): void => {
    const waiter = queue.waiters.shift();
    if (waiter) waiter(entry);
    else queue.waiting.push(entry);
  };
  /** Schedules until the bus is closed. */
  const schedule = (ms: number, act: () => void): (() => void) => {
    const cancel = timers.schedule(ms, () => {
      cancels.delete(cancel);
      act();
    });
    cancels.add(cancel);
    return () => {
      cancels.delete(cancel);
      cancel();
    };
  };
  let nextCleanupAt = 0;
  const forgetOldIds = (): void => {
    if (now() < nextCleanupAt) return;
    nextCleanupAt = now() + idCleanupIntervalMs;
    for (const [id, until] of finishedIds) {
      if (until > now()) return;
      finishedIds.delete(id);
    }
  };

  const leaseTo = ({ leaseMs }: Consumer, queue: Queue, entry: QueuedMessage): LeasedMessage => {
    const { id, subject, data } = entry.message;
    const requeue = (): void => offer(queue, entry);
    entry.deliveryCount += 1;
    let cancelLease: (() => void) | null = null;
    const startLease = (): void => {
      cancelLease = schedule(leaseMs, () => {
        cancelLease = null;
        requeue();
      });
    };
    /** False when the lease has expired or the message was ended. */
    const releaseLease = (): boolean => {
      const wasHeld = cancelLease !== null;
      cancelLease?.();
      cancelLease = null;
      return wasHeld;
    };
    startLease();
    return {
      id,
      subject,
      data,
      deliveryCount: entry.deliveryCount,
      ack: async () => {
        if (!releaseLease()) return;
        queue.unfinishedCount -= 1;
        unfinishedIds.delete(id);
        finishedIds.set(id, now() + deduplicationWindowMs);
      },
      nak: async (delayMs) => {
        if (!releaseLease()) return;
        if (delayMs > 0) schedule(delayMs, requeue);
        else requeue();
      },
      extendLease: async () => {
        if (releaseLease()) startLease();
      },
    };
  };

  return {
    publish: async (message) => {
      if (closed) throw new Error('the bus is closed');
      forgetOldIds();
      if (unfinishedIds.has(message.id) || finishedIds.has(message.id)) return;
      unfinishedIds.add(message.id);
      const queue = queueOf(message);
      queue.unfinishedCount += 1;
      offer(queue, { message, deliveryCount: 0 });
    },
    next: async (consumer, signal) => {
      if (closed || signal.aborted) return null;
      const queue = queueOf(consumer);
      const ready = queue.waiting.shift();
      if (ready) return leaseTo(consumer, queue, ready);
      const { promise, resolve } = Promise.withResolvers<LeasedMessage | null>();
      const waiter: Waiter = (entry) => {
        signal.removeEventListener('abort', leave);
        resolve(entry && leaseTo(consumer, queue, entry));
      };
      const leave = (): void => {
        queue.waiters.splice(queue.waiters.indexOf(waiter), 1);
        resolve(null);
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.waiters.push(waiter);
      return promise;
    },
    pending: async (queue) => queueOf(queue).unfinishedCount,
    close: async () => {
      closed = true;
      for (const cancel of cancels) cancel();
      for (const { waiters } of queues.values()) for (const waiter of waiters.splice(0)) waiter(null);
    },
  };
};

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

/** Each look passes over all that were removed from the Map before. */
const idCleanupIntervalMs = 1_000;

const keyOf = ({ subject, urgent }: { subject: string; urgent?: boolean }): string => `${subject} ${urgent === true}`;

/** A queue in the memory of one process. What it holds ends with the process: the relay fills it again from the event log. `timers` are replaced in tests. */
export const openMemoryBus = ({ now, schedule }: Timers = systemTimers): Bus => {
  const queues = new Map<string, Queue>();
  /** Ids that are no new message: of those whose message has ended, until when. The earliest comes first. */
  const openIds = new Set<string>();
  const endedIds = new Map<string, number>();
  const cancels = new Set<() => void>();
  let closed = false;

  const queueOf = (of: { subject: string; urgent?: boolean }): Queue => {
    const key = keyOf(of);
    const known = queues.get(key) ?? { waiting: [], waiters: [], unfinishedCount: 0 };
    queues.set(key, known);
    return known;
  };
  const offer = (queue: Queue, entry: QueuedMessage): void => {
    const waiter = queue.waiters.shift();
    if (waiter) waiter(entry);
    else queue.waiting.push(entry);
  };
  const later = (ms: number, act: () => void): (() => void) => {
    const stop = schedule(ms, () => {
      cancels.delete(stop);
      act();
    });
    cancels.add(stop);
    return () => {
      cancels.delete(stop);
      stop();
    };
  };
  let forgetAt = 0;
  const forgetEnded = (): void => {
    if (now() < forgetAt) return;
    forgetAt = now() + idCleanupIntervalMs;
    for (const [id, until] of endedIds) {
      if (until > now()) return;
      endedIds.delete(id);
    }
  };

  const deliveryOf = ({ leaseMs }: Consumer, queue: Queue, entry: QueuedMessage): LeasedMessage => {
    const { id, subject, data } = entry.message;
    const back = (): void => offer(queue, entry);
    entry.deliveryCount += 1;
    let lease: (() => void) | null = null;
    const begin = (): void => {
      lease = later(leaseMs, () => {
        lease = null;
        back();
      });
    };
    /** False where the lease was lost or the message has ended. */
    const release = (): boolean => {
      const held = lease !== null;
      lease?.();
      lease = null;
      return held;
    };
    begin();
    return {
      id,
      subject,
      data,
      deliveryCount: entry.deliveryCount,
      ack: async () => {
        if (!release()) return;
        queue.unfinishedCount -= 1;
        openIds.delete(id);
        endedIds.set(id, now() + deduplicationWindowMs);
      },
      nak: async (delayMs) => {
        if (!release()) return;
        if (delayMs > 0) later(delayMs, back);
        else back();
      },
      extendLease: async () => {
        if (release()) begin();
      },
    };
  };

  return {
    publish: async (message) => {
      if (closed) throw new Error('the bus is closed');
      forgetEnded();
      if (openIds.has(message.id) || endedIds.has(message.id)) return;
      openIds.add(message.id);
      const queue = queueOf(message);
      queue.unfinishedCount += 1;
      offer(queue, { message, deliveryCount: 0 });
    },
    next: async (consumer, signal) => {
      if (closed || signal.aborted) return null;
      const queue = queueOf(consumer);
      const ready = queue.waiting.shift();
      if (ready) return deliveryOf(consumer, queue, ready);
      const { promise, resolve } = Promise.withResolvers<LeasedMessage | null>();
      const waiter: Waiter = (entry) => {
        signal.removeEventListener('abort', leave);
        resolve(entry && deliveryOf(consumer, queue, entry));
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
      for (const stop of cancels) stop();
      for (const { waiters } of queues.values()) for (const waiter of waiters.splice(0)) waiter(null);
    },
  };
};

import { LRUCache } from 'lru-cache';
import { type DeliveryState, maxAttemptDelayMs } from '#libs/domain/delivery.ts';

/** The times of the next attempts by a monotonic clock. The recorded times come from a clock that can be set. */
export type AttemptSchedule = {
  /** The remaining delay of an attempt in milliseconds. `initialMs` is its delay from the first call on. */
  remainingMs(attempt: string, initialMs: number): number;
};

/** An attempt that was evicted waits for its whole delay again. */
const maxScheduledAttempts = 20_000;

/** `clock` returns milliseconds. */
export const createAttemptSchedule = (clock = (): number => performance.now()): AttemptSchedule => {
  const dueAt = new LRUCache<string, number>({ max: maxScheduledAttempts });
  return {
    remainingMs: (attempt, initialMs) => {
      const due = dueAt.get(attempt) ?? clock() + initialMs;
      if (initialMs > 0) dueAt.set(attempt, due);
      // Timers can fire a fraction of a millisecond early.
      return Math.max(0, Math.floor(due - clock()));
    },
  };
};

/** The remaining delay of the next attempt of a delivery in milliseconds. `id` is the bare id of its render. */
export const remainingDelayMs = (schedule: AttemptSchedule, id: string, state: DeliveryState, now: Date): number => {
  if (state.status !== 'DUE' || state.nextAttemptAt === null) return 0;
  const recordedMs = Date.parse(state.nextAttemptAt) - now.getTime();
  return schedule.remainingMs(
    `${id} ${state.round} ${state.attempt}`,
    Math.min(recordedMs, maxAttemptDelayMs(state.attempt)),
  );
};

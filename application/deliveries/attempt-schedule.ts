import { LRUCache } from 'lru-cache';
import { type DeliveryState, maxAttemptDelayMs, startsOf } from '#libs/domain/delivery.ts';

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

/** The timeout of an attempt, in milliseconds. */
export const attemptTimeoutMs = 10_000;
/** An attempt is not sent if recording its start took longer than this, in milliseconds: another worker may repeat it. */
export const maxStartMs = 5_000;
/** An attempt without an outcome after this time was interrupted. */
const interruptedAfterMs = attemptTimeoutMs + maxStartMs;

/**
 * The remaining delay of the next attempt of a delivery in milliseconds. `id` is the bare id of its render, `startedAt`
 * (ISO 8601) the last start of an attempt. One that was started is repeated only when it can no longer run elsewhere.
 */
export const remainingDelayMs = (
  schedule: AttemptSchedule,
  { id, startedAt }: { id: string; startedAt: string | null },
  state: DeliveryState,
  now: Date,
): number => {
  if (state.status !== 'DUE' && state.status !== 'ATTEMPTING') return 0;
  const name = `${id} ${state.round} ${state.attempt} ${startsOf(state)}`;
  if (state.status === 'ATTEMPTING') {
    const sinceStartMs = startedAt === null ? interruptedAfterMs : Math.max(0, now.getTime() - Date.parse(startedAt));
    return schedule.remainingMs(name, interruptedAfterMs - sinceStartMs);
  }
  if (state.nextAttemptAt === null) return 0;
  const recordedMs = Date.parse(state.nextAttemptAt) - now.getTime();
  return schedule.remainingMs(name, Math.min(recordedMs, maxAttemptDelayMs(state.attempt)));
};

import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after the milliseconds, or when `signal` aborts. With `ref: false` the process may end before that. */
export const pause = (ms: number, signal: AbortSignal, { ref = true } = {}): Promise<void> =>
  sleep(ms, undefined, { signal, ref }).catch(() => undefined);

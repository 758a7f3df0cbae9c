import { setTimeout as pause } from 'node:timers/promises';

const timeoutMs = 120_000;

/** Each look costs processor time, which what is awaited needs too. */
const pauseMsAfter = (waitedMs: number): number => Math.min(250, 20 + waitedMs / 10);

/** Polls until the result is not false, null or undefined. Throws after two minutes with `what`. */
export const waitUntil = async <T>(
  what: string,
  poll: () => T | Promise<T>,
): Promise<Exclude<T, false | null | undefined>> => {
  const startedAt = Date.now();
  for (;;) {
    const result = await poll();
    if (result !== false && result !== null && result !== undefined)
      return result as Exclude<T, false | null | undefined>;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs) throw new Error(`timed out: ${what}`);
    await pause(pauseMsAfter(waitedMs));
  }
};

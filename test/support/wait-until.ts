import { setTimeout as pause } from 'node:timers/promises';

const timeoutMs = 120_000;

/** Polls until the result is not false, null or undefined. Throws after two minutes with `what`. */
export const waitUntil = async <T>(
  what: string,
  poll: () => T | Promise<T>,
): Promise<Exclude<T, false | null | undefined>> => {
  const giveUpAt = Date.now() + timeoutMs;
  for (;;) {
    const result = await poll();
    if (result !== false && result !== null && result !== undefined)
      return result as Exclude<T, false | null | undefined>;
    if (Date.now() > giveUpAt) throw new Error(`timed out: ${what}`);
    await pause(20);
  }
};

import { setTimeout as pause } from 'node:timers/promises';

const timeoutMs = 30_000;

/** Looks again and again until there is something to see; `what` names it where it never comes. */
export const waitUntil = async <T>(
  what: string,
  look: () => T | Promise<T>,
): Promise<Exclude<T, false | null | undefined>> => {
  const giveUpAt = Date.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (seen !== false && seen !== null && seen !== undefined) return seen as Exclude<T, false | null | undefined>;
    if (Date.now() > giveUpAt) throw new Error(`waited in vain: ${what}`);
    await pause(20);
  }
};

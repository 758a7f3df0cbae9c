import { longestWaitMs } from './port.ts';

const firstMs = 1_000;
const patienceMs = 60 * 60_000;

/** How long a message waits before it comes again because no worker could work on it, in milliseconds: twice as long each time, a minute at most. `attempt` counts from 1. */
export const growingDelayMs = (attempt: number): number => Math.min(longestWaitMs, firstMs * 2 ** (attempt - 1));

/** Whether a message that was given out for the `attempt`th time has waited for an hour in these delays. */
export const hasWaitedAnHour = (attempt: number): boolean => {
  let waitedMs = 0;
  for (let before = 1; before < attempt && waitedMs < patienceMs; before += 1) waitedMs += growingDelayMs(before);
  return waitedMs >= patienceMs;
};

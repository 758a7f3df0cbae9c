import { maxLeaseOrDelayMs } from './port.ts';

const firstDelayMs = 1_000;
const oneHourMs = 60 * 60_000;

/** How long a message waits before it comes again because no worker could work on it, in milliseconds: twice as long each time, a minute at most. `attempt` counts from 1. */
export const redeliveryDelayMs = (attempt: number): number =>
  Math.min(maxLeaseOrDelayMs, firstDelayMs * 2 ** (attempt - 1));

/** Whether a message that was given out for the `attempt`th time has waited for an hour in these delays. */
export const hasWaitedAnHour = (attempt: number): boolean => {
  let waitedMs = 0;
  for (let before = 1; before < attempt && waitedMs < oneHourMs; before += 1) waitedMs += redeliveryDelayMs(before);
  return waitedMs >= oneHourMs;
};

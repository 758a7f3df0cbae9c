import { maxLeaseOrDelayMs } from './port.ts';

const firstDelayMs = 1_000;
const oneHourMs = 60 * 60_000;

/**
 * The delay before a message whose handler failed is delivered again, in milliseconds. It doubles with each delivery,
 * up to one minute. `deliveryCount` starts at 1.
 */
export const redeliveryDelayMs = (deliveryCount: number): number =>
  Math.min(maxLeaseOrDelayMs, firstDelayMs * 2 ** (deliveryCount - 1));

/** Whether the delays before delivery number `deliveryCount` add up to an hour. */
export const hasWaitedAnHour = (deliveryCount: number): boolean => {
  let waitedMs = 0;
  for (let earlier = 1; earlier < deliveryCount && waitedMs < oneHourMs; earlier += 1)
    waitedMs += redeliveryDelayMs(earlier);
  return waitedMs >= oneHourMs;
};

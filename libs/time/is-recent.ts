/**
 * Whether a recorded time lies less than `spanMs` before now. The clocks of machines differ, so that it may lie as far after now. A time that is further
 * in the future is that of a clock which was set back since: nothing must wait until that time comes again.
 */
export const isRecent = (recordedAt: string, now: Date, spanMs: number): boolean =>
  Math.abs(now.getTime() - Date.parse(recordedAt)) < spanMs;

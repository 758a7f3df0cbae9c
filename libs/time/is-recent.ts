/**
 * Whether a recorded time is less than `spanMs` before or after now (clocks of machines differ). A time further in the future
 * comes from a clock that was set back since; it is not recent, so that nothing waits until that time.
 */
export const isRecent = (recordedAt: string, now: Date, spanMs: number): boolean =>
  Math.abs(now.getTime() - Date.parse(recordedAt)) < spanMs;

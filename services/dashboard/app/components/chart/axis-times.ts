const longIncrement = 28 * 86_400;

/**
 * Names the times of an axis in the reader's language: hours, at midnight the day, and months where these are the
 * distance. A time between two hours, or between two UTC days of a daily chart, has no name. Times and distance are in
 * seconds. `locale` is another language for tests.
 */
export const axisTimes = (isDaily: boolean, locale?: string) => {
  const formatOf = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
    new Intl.DateTimeFormat(locale, isDaily ? { ...options, timeZone: 'UTC' } : options);
  const hour = formatOf({ hour: 'numeric' });
  const day = formatOf({ day: 'numeric', month: 'numeric' });
  const month = formatOf({ month: 'short' });
  return (times: readonly number[], increment: number): string[] =>
    times.map((seconds) => {
      const time = new Date(seconds * 1000);
      const hours = isDaily ? time.getUTCHours() : time.getHours();
      const minutes = isDaily ? time.getUTCMinutes() : time.getMinutes();
      if (minutes !== 0 || (isDaily && hours !== 0)) return '';
      if (hours !== 0) return hour.format(time);
      return (increment < longIncrement ? day : month).format(time);
    });
};

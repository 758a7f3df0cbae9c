const twoDigits = (value: number): string => String(value).padStart(2, '0');

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const dateOnly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** A time in the reader's zone and language. */
export const formatLocalTime = (time: Date, isDateOnly = false): string =>
  (isDateOnly ? dateOnly : dateTime).format(time);

/** YYYY-MM-DD HH:MM:SS in UTC. */
export const formatUtc = (time: Date): string => time.toISOString().slice(0, 19).replace('T', ' ');

/** YYYY-MM-DDTHH:MM in the reader's zone, for `<input type="datetime-local">`. */
export const formatForInput = (time: Date): string =>
  `${time.getFullYear()}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}` +
  `T${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`;

const ages = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** How long ago a time was, such as "5 min ago". */
export const formatAge = (time: Date, now = new Date()): string => {
  const seconds = (time.getTime() - now.getTime()) / 1000;
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  return unit ? ages.format(Math.trunc(seconds / unit[1]), unit[0]) : ages.format(Math.trunc(seconds), 'second');
};

/** Milliseconds as "12 ms", "1.3 s" or "2 min 5 s". */
export const formatDuration = (ms: number): string => {
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(ms < 10_000 ? 2 : 1))} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

const kilobyte = 1024;

/** Bytes as "512 B", "12.3 KB" or "4.5 MB", in units of 1024. */
export const formatBytes = (bytes: number): string => {
  if (bytes < kilobyte) return `${bytes} B`;
  const isLarge = bytes >= kilobyte * kilobyte;
  const value = bytes / (isLarge ? kilobyte * kilobyte : kilobyte);
  return `${Number(value.toFixed(value < 100 ? 1 : 0))} ${isLarge ? 'MB' : 'KB'}`;
};

/** A number with separators of thousands, in the language of the pages. */
export const formatCount = (value: number): string => value.toLocaleString('en');

/** A share from 0 to 1 as "98.7 %". Only nothing is "0 %", and only all of it is "100 %". */
export const formatPercent = (share: number): string => {
  if (share > 0 && share < 0.001) return '< 0.1 %';
  if (share > 0.999 && share < 1) return '> 99.9 %';
  return `${Number((share * 100).toFixed(1))} %`;
};

/**
 * The share of the renders that succeeded among those that have ended, 0 to 1; null if none has. `success_rate` of the
 * API is rounded, and would be rounded a second time.
 */
export const successRate = ({ succeeded, failed }: { succeeded: number; failed: number }): number | null =>
  succeeded + failed === 0 ? null : succeeded / (succeeded + failed);

const monthName = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** A month `YYYY-MM` in words. */
export const formatMonth = (month: string): string => monthName.format(new Date(`${month}-01`));

/** The current month and those before it in UTC, newest first: YYYY-MM, and its name. */
export const recentMonths = (count: number, now = new Date()): { value: string; label: string }[] =>
  Array.from({ length: count }, (_, ago) => {
    const value = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1)).toISOString().slice(0, 7);
    return { value, label: formatMonth(value) };
  });

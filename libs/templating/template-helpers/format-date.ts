import dayjs from 'dayjs';
import advancedFormat from 'dayjs/plugin/advancedFormat.js';
import isoWeek from 'dayjs/plugin/isoWeek.js';
import localizedFormat from 'dayjs/plugin/localizedFormat.js';
import utc from 'dayjs/plugin/utc.js';
import weekOfYear from 'dayjs/plugin/weekOfYear.js';
import weekYear from 'dayjs/plugin/weekYear.js';
import { LRUCache } from 'lru-cache';
import { templateLimits } from '../limits.ts';
import { describeValue } from '../messages.ts';
import { isoDateAllowed, readIsoDate } from '../values.ts';
import { loadDateLocale } from './date-locales.ts';
import { failCall, failCallForOption, type HelperFunction } from './helper-call.ts';

const plugins = [utc, advancedFormat, localizedFormat, weekOfYear, weekYear, isoWeek];
for (const plugin of plugins) dayjs.extend(plugin);

/** The cost of a time zone's name or of the number or year of a week, in characters read. */
const slowToken = { pattern: /zzz|z|[wW]{1,2}|g{4}|G{4}/g, characters: 3_200 };

const namedFormats = {
  short: { year: 'numeric', month: '2-digit', day: '2-digit' },
  medium: { dateStyle: 'medium' },
  long: { dateStyle: 'long' },
  full: { dateStyle: 'full' },
  time: { timeStyle: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;
type NamedFormat = keyof typeof namedFormats;

const isNamedFormat = (format: string): format is NamedFormat => Object.hasOwn(namedFormats, format);

// dayjs has more, which mean the day of the month elsewhere: `d` and `dd` are the number and a short name of the weekday.
const tokenList = [
  ...['YYYY', 'YY', 'MMMM', 'MMM', 'MM', 'M', 'DD', 'D', 'Do', 'dddd', 'ddd', 'Q'],
  ...['HH', 'H', 'hh', 'h', 'kk', 'k', 'mm', 'm', 'ss', 's', 'SSS', 'A', 'a', 'T', 'Z', 'ZZ', 'z', 'zzz', 'X', 'x'],
  ...['W', 'WW', 'GGGG', 'w', 'ww', 'wo', 'gggg', 'L', 'LL', 'LLL', 'LLLL', 'l', 'll', 'lll', 'llll', 'LT', 'LTS'],
];
const tokens: ReadonlySet<string> = new Set(tokenList);
const bracketsOrToken = /\[[^\]]+\]|Do|wo|LTS?|([A-Za-z])\1*/g;

/** What is wrong with a format for formatDate; null for a name or a pattern of allowed tokens. */
export const formatProblem = (format: string): string | null => {
  if (isNamedFormat(format)) return null;
  const wrong =
    format === '' ? '' : format.match(bracketsOrToken)?.find((part) => !part.startsWith('[') && !tokens.has(part));
  if (wrong === undefined) return null;
  const meant = tokens.has(wrong.toUpperCase()) ? ` (did you mean "${wrong.toUpperCase()}"?)` : '';
  const names = Object.keys(namedFormats).join(', ');
  return (
    `"${wrong}" in the format given to formatDate is not allowed${meant}; allowed are ${names}, or a pattern of ` +
    `${tokenList.join(', ')}, with other letters in brackets, such as "D [of] MMMM".`
  );
};

const intlFormats = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 });

const formatByName = (epochMs: number, format: NamedFormat, locale: string, timeZone: string): string => {
  const key = `${locale} ${format} ${timeZone}`;
  const known = intlFormats.get(key) ?? new Intl.DateTimeFormat([locale, 'en'], { ...namedFormats[format], timeZone });
  intlFormats.set(key, known);
  return known.format(epochMs);
};

type TimeZoneName = 'short' | 'long' | 'longOffset';

const timeZoneNameOf = (epochMs: number, timeZone: string, form: TimeZoneName): string => {
  const key = `${form} ${timeZone}`;
  const known = intlFormats.get(key) ?? new Intl.DateTimeFormat('en-US', { timeZoneName: form, timeZone });
  intlFormats.set(key, known);
  return known.formatToParts(epochMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
};

/** The offset from UTC as `+01:00`; with seconds, as old local times have. */
const offsetOf = (epochMs: number, timeZone: string): string =>
  timeZoneNameOf(epochMs, timeZone, 'longOffset').slice('GMT'.length) || '+00:00';

const millisecondsOf = (offset: string): number => {
  const [hours = 0, minutes = 0, seconds = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1000 : 1000) * (hours * 3600 + minutes * 60 + seconds);
};

/** dayjs formats the local time as a time in UTC: its own time zones are wrong for some dates before 1970. */
const formatByPattern = (epochMs: number, pattern: string, locale: string, timeZone: string): string => {
  const offset = offsetOf(epochMs, timeZone);
  const ofZone: Record<string, () => string> = {
    Z: () => offset,
    ZZ: () => offset.replaceAll(':', ''),
    z: () => timeZoneNameOf(epochMs, timeZone, 'short'),
    zzz: () => timeZoneNameOf(epochMs, timeZone, 'long'),
    X: () => String(Math.floor(epochMs / 1000)),
    x: () => String(epochMs),
  };
  const withZone = pattern.replace(bracketsOrToken, (part) => (ofZone[part] ? `[${ofZone[part]()}]` : part));
  return dayjs
    .utc(epochMs + millisecondsOf(offset))
    .locale(loadDateLocale(locale))
    .format(withZone);
};

/**
 * Formats a date in the format of the locale (`short`, `medium`, `long`, `full`, `time`), or with a pattern such as
 * DD/MM/YYYY or D MMMM YYYY, HH:mm, with the locale's names of months and days. A date-time with an offset is converted
 * to the time zone; one without offset and a plain date are not. Null is empty.
 */
export const formatDate: HelperFunction = (call, subject, format) => {
  if (typeof format.value !== 'string' || format.value.length > templateLimits.dateFormat) {
    const allowed = `"long", or a pattern of up to ${templateLimits.dateFormat} characters such as "DD/MM/YYYY" is allowed`;
    return failCallForOption(
      call,
      subject,
      format,
      `the format given to formatDate is ${describeValue(format.value)}; ${allowed}.`,
    );
  }
  const problem = formatProblem(format.value);
  if (problem !== null) return failCallForOption(call, subject, format, problem);
  if (subject.value === null) return '';
  call.countCharacters(slowToken.characters * (format.value.match(slowToken.pattern)?.length ?? 0));
  const date = readIsoDate(subject.value);
  if (!date)
    return failCall(
      call,
      subject,
      `"${subject.source}" is ${describeValue(subject.value)}, which is not a date; ${isoDateAllowed}.`,
    );
  const timeZone = date.floating ? 'UTC' : call.timeZone;
  if (isNamedFormat(format.value)) return formatByName(date.epochMs, format.value, call.locale, timeZone);
  return formatByPattern(date.epochMs, format.value, call.locale, timeZone);
};

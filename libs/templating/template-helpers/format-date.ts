import { createRequire } from 'node:module';
import dayjs, { type Dayjs } from 'dayjs';
import advancedFormat from 'dayjs/plugin/advancedFormat.js';
import isoWeek from 'dayjs/plugin/isoWeek.js';
import localizedFormat from 'dayjs/plugin/localizedFormat.js';
import timezone from 'dayjs/plugin/timezone.js';
import utc from 'dayjs/plugin/utc.js';
import weekOfYear from 'dayjs/plugin/weekOfYear.js';
import weekYear from 'dayjs/plugin/weekYear.js';
import { LRUCache } from 'lru-cache';
import { templateLimits } from '../limits.ts';
import { describeValue } from '../messages.ts';
import { isoDateAllowed, readIsoDate } from '../values.ts';
import { failCall, failCallForOption, type HelperFunction } from './helper-call.ts';

const plugins = [utc, timezone, advancedFormat, localizedFormat, weekOfYear, weekYear, isoWeek];
for (const plugin of plugins) dayjs.extend(plugin);

const require = createRequire(import.meta.url);

const available: ReadonlySet<string> = new Set(
  (require('dayjs/locale.json') as { key: string }[]).map(({ key }) => key),
);
const aliases: Record<string, string> = { no: 'nb', zh: 'zh-cn', 'zh-hans': 'zh-cn', 'zh-hant': 'zh-tw' };

const candidateTags = (tag: string): string[] => {
  const parts = tag.toLowerCase().split('-');
  return parts.map((_, dropped) => parts.slice(0, parts.length - dropped).join('-'));
};

/** Languages in which a month after a day has another form, which dayjs lacks, or in Croatian after `D.` */
const languagesToComplete = new Set(['cs', 'el', 'fi', 'hr', 'sk']);

/** A month after a day; not before a suffix in brackets, as in the Finnish `MMMM[ta]`. */
const monthAfterDay = /(?:D|\d\S*)[\s.]*MMMM(?!\[)/;

/** Adds the forms of the months after a day to a loaded dayjs locale. */
const addMonthsAfterDay = (language: string): void => {
  const locale = dayjs.Ls[language]!;
  const months = locale.months as unknown as string[] | { s: string[] };
  const alone = 's' in months ? months.s : months;
  const intl = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long', timeZone: 'UTC' });
  const afterDay = alone.map(
    (_, month) => intl.formatToParts(Date.UTC(2026, month, 5)).find(({ type }) => type === 'month')!.value,
  );
  const nameIn = (date: Dayjs, format: string) => (monthAfterDay.test(format) ? afterDay : alone)[date.month()];
  Object.assign(locale, { months: nameIn });
};

/** Some dayjs locales, such as Arabic, have the word of the morning at noon, too. */
const completeNoon = (language: string): void => {
  const locale = dayjs.Ls[language] as { meridiem?: (hour: number, minute: number, isLowercase: boolean) => string };
  const { meridiem } = locale;
  if (!meridiem || meridiem(12, 0, false) !== meridiem(0, 0, false)) return;
  locale.meridiem = (hour, ...others) => meridiem(hour === 12 ? 13 : hour, ...others);
};

/** The dayjs locale for a language tag, loaded on first use; `en` if dayjs has none. */
const loadDayjsLocale = (tag: string): string => {
  const found = candidateTags(tag)
    .map((name) => aliases[name] ?? name)
    .find((name) => available.has(name));
  if (!found || found === 'en') return 'en';
  require(`dayjs/locale/${found}.js`);
  if (languagesToComplete.delete(found)) addMonthsAfterDay(found);
  completeNoon(found);
  return found;
};

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
  const instant = dayjs.utc(date.epochMs);
  const shown = timeZone === 'UTC' ? instant : instant.tz(timeZone);
  return shown.locale(loadDayjsLocale(call.locale)).format(format.value);
};

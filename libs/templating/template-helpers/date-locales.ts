import { createRequire } from 'node:module';
import dayjs, { type Dayjs } from 'dayjs';
import { LRUCache } from 'lru-cache';

const require = createRequire(import.meta.url);

const available: ReadonlySet<string> = new Set(
  (require('dayjs/locale.json') as { key: string }[]).map(({ key }) => key),
);

/** Locales that have another name in dayjs. Its `ku` is Sorani. */
const aliases: Record<string, string> = {
  ...{ no: 'nb', fil: 'tl-ph', ckb: 'ku', ku: 'kmr' },
  ...{ 'zh-hans': 'zh-cn', 'zh-hant': 'zh-tw', 'sr-latn': 'sr', 'uz-cyrl': 'uz' },
};

/** The dayjs locale of a language tag, in the script of the tag; undefined if dayjs has none. */
const findDayjsLocale = (tag: string): string | undefined => {
  const { language, region, script } = new Intl.Locale(tag).maximize();
  const hasScript = (name: string) => new Intl.Locale(name).maximize().script === script;
  return [region && `${language}-${region}`, script && `${language}-${script}`, language]
    .filter((name) => name !== undefined)
    .filter(hasScript)
    .map((name) => aliases[name.toLowerCase()] ?? name.toLowerCase())
    .find((name) => available.has(name));
};

type NameOptions = Pick<Intl.DateTimeFormatOptions, 'day' | 'month' | 'weekday'>;

/** The names of the twelve months or, from Sunday on, of the seven weekdays. */
const namesFromIntl = (tag: string, type: 'month' | 'weekday', options: NameOptions): string[] => {
  const intl = new Intl.DateTimeFormat(tag, { ...options, calendar: 'gregory', timeZone: 'UTC' });
  const days = type === 'month' ? Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month, 5)) : [];
  const week = type === 'weekday' ? Array.from({ length: 7 }, (_, day) => Date.UTC(2026, 1, 1 + day)) : [];
  return [...days, ...week].map((date) => intl.formatToParts(date).find((part) => part.type === type)?.value ?? '');
};

/** Defines a dayjs locale with the names of Intl, for a language that dayjs lacks. */
const defineFromIntl = (tag: string): string => {
  // Apart from the locales of dayjs: its `ku` is another language.
  const name = `intl-${tag.toLowerCase()}`;
  const locale = {
    name,
    months: namesFromIntl(tag, 'month', { month: 'long' }),
    monthsShort: namesFromIntl(tag, 'month', { month: 'short' }),
    weekdays: namesFromIntl(tag, 'weekday', { weekday: 'long' }),
    weekdaysShort: namesFromIntl(tag, 'weekday', { weekday: 'short' }),
    ordinal: String,
  };
  dayjs.locale(name, locale, true);
  return name;
};

/** Languages in which a month beside a day has another form, which dayjs lacks, or has for some patterns only. */
const languagesToComplete = new Set(['be', 'cs', 'el', 'fi', 'hr', 'lt', 'pl', 'ru', 'sk', 'uk']);

/** A month after or before a day; not before a suffix in brackets, as in the Finnish `MMMM[ta]`. */
const monthBesideDay = /(?:D|\d\S*)(?:\[[^\]]*\]|[\s.])*MMMM(?!\[)|MMMM\s(?:\[[^\]]*\]|\s)*(?:D|\d)/;

/** The names of the months without a day: Intl has none in Greek, and dayjs has Ukrainian ones in Belarusian. */
const monthsAlone = (language: string): string[] => {
  if (language === 'be') return namesFromIntl(language, 'month', { month: 'long' });
  const months = dayjs.Ls[language]!.months as unknown as string[] | { s: string[] };
  return 's' in months ? months.s : months;
};

/** Adds the forms of the months beside a day to a loaded dayjs locale. */
const addMonthsBesideDay = (language: string): void => {
  const alone = monthsAlone(language);
  const besideDay = namesFromIntl(language, 'month', { day: 'numeric', month: 'long' });
  const nameIn = (date: Dayjs, format: string) => (monthBesideDay.test(format) ? besideDay : alone)[date.month()];
  Object.assign(dayjs.Ls[language]!, { months: nameIn });
};

/** Some dayjs locales, such as Arabic, have the word of the morning at noon, too. */
const completeNoon = (language: string): void => {
  const locale = dayjs.Ls[language] as { meridiem?: (hour: number, minute: number, isLowercase: boolean) => string };
  const { meridiem } = locale;
  if (!meridiem || meridiem(12, 0, false) !== meridiem(0, 0, false)) return;
  locale.meridiem = (hour, ...others) => meridiem(hour === 12 ? 13 : hour, ...others);
};

const loadDayjsLocale = (name: string): string => {
  if (name === 'en') return name;
  require(`dayjs/locale/${name}.js`);
  if (languagesToComplete.delete(name)) addMonthsBesideDay(name);
  completeNoon(name);
  return name;
};

const loaded = new LRUCache<string, string>({ max: 500 });

const loadLocale = (tag: string): string => {
  const found = findDayjsLocale(tag);
  if (found !== undefined) return loadDayjsLocale(found);
  return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0 ? defineFromIntl(tag) : 'en';
};

/**
 * The name of the dayjs locale for a language tag, loaded on first use, or made from the names of Intl if dayjs has
 * none; `en` if Intl has none either.
 */
export const loadDateLocale = (tag: string): string => {
  const name = loaded.get(tag) ?? loadLocale(tag);
  loaded.set(tag, name);
  return name;
};

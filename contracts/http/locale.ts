import { z } from 'zod';

let languageNames: Intl.DisplayNames | undefined;

/** Undefined for a language that Intl does not know. */
const languageNameOf = (language: string): string | undefined => {
  // Created at first use, because that takes long.
  languageNames ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  return languageNames.of(language);
};

/** The canonical form of a language tag whose language Intl knows; undefined for anything else. */
const canonicalLocale = (tag: string): string | undefined => {
  try {
    const locale = new Intl.Locale(tag);
    return languageNameOf(locale.language) === undefined ? undefined : locale.toString();
  } catch {
    return undefined;
  }
};

const isTimeZone = (name: string): boolean => {
  // Intl also takes offsets such as +01:00, which are not IANA names.
  if (/^[+-]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone.length > 0;
  } catch {
    return false;
  }
};

/** Longer names are not looked up: Intl needs seconds for a language tag with thousands of variants. */
const maxNameLength = 64;

/** A language tag, in its canonical form. */
export const localeTag = z
  .string()
  .max(maxNameLength, { abort: true })
  .refine(
    (tag) => canonicalLocale(tag) !== undefined,
    'must be a language tag with a known language, such as en, de-AT or pt-BR',
  )
  .overwrite((tag) => canonicalLocale(tag) ?? tag);

export const timeZoneName = z
  .string()
  .max(maxNameLength, { abort: true })
  .refine(isTimeZone, 'must be an IANA time zone such as UTC or Europe/Vienna');

/** The options `locale` and `time_zone` of a render. */
export const localeOptionFields = {
  locale: localeTag
    .optional()
    .describe(
      'Language tag (BCP 47) such as `de-AT`. Templates: the language of labels, and the format of dates, numbers ' +
        'and amounts. Default: that of the account, else `en`. Converted documents: their language.',
    ),
  time_zone: timeZoneName
    .optional()
    .describe(
      'IANA time zone such as `Europe/Vienna`, for the date-times of templates and for {{date}} in header and footer. ' +
        'Default: that of the account, else UTC.',
    ),
} as const;

import { plainOptions } from '../../components/fields.tsx';

const sampleDate = new Date(Date.UTC(2026, 2, 31, 12));

/** How a date and an amount look in a locale; null if it is not a language tag. */
export const localeSample = (locale: string): string | null => {
  try {
    const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(sampleDate);
    return `${date}, ${new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' }).format(1234.5)}`;
  } catch {
    return null;
  }
};

/** The time now in a zone; null if there is no such zone. */
export const timeZoneSample = (timeZone: string): string | null => {
  try {
    return new Intl.DateTimeFormat(undefined, { timeStyle: 'short', dateStyle: 'medium', timeZone }).format(new Date());
  } catch {
    return null;
  }
};

const commonLocales =
  'en en-GB en-US de de-AT de-CH fr fr-CH es it nl pl pt pt-BR cs da sv nb fi hu ro el tr uk ar he hi ja ko zh-CN zh-TW';

const languageNames = new Intl.DisplayNames('en', { type: 'language' });

export const localeOptions = commonLocales
  .split(' ')
  .map((value) => ({ value, label: languageNames.of(value) ?? value }));
export const timeZoneOptions = plainOptions([...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]);

import { pdfaLevels, pdfUa } from '#contracts/http/conformance.ts';
import { localeTag } from '#contracts/http/locale.ts';
import { maxComparedLength, plainFormOf } from '#libs/spelling/similar.ts';
import { suggestValue } from './suggest.ts';

/** `de_AT` and `de_AT.UTF-8`, as operating systems write them, are `de-AT`. */
const localeIn = (text: string): string | null => {
  const tag = localeTag.safeParse(text.replace(/[.@].*$/, '').replaceAll('_', '-'));
  return tag.success ? tag.data : null;
};

/** The time zone of a city, such as `Europe/Vienna` for `Vienna`. */
const timeZoneOf = (city: string): string | null => {
  const plain = plainFormOf(city);
  const isOfCity = (zone: string): boolean =>
    plainFormOf(zone) === plain || plainFormOf(zone.replace(/^.*\//, '')) === plain;
  return (plain === '' ? undefined : Intl.supportedValuesOf('timeZone').find(isOfCity)) ?? null;
};

const standards = [...pdfaLevels, pdfUa];

const suggestions = new Map<string, (text: string) => string | null>([
  ['locale', localeIn],
  ['language', localeIn],
  ['time_zone', timeZoneOf],
  ['conformance', (text) => suggestValue('conformance', text, standards)],
]);

/** What the caller probably meant by a wrong value of a field that has a format instead of a list; null if unknown. */
export const suggestFormat = (field: string, value: unknown): string | null =>
  typeof value === 'string' && value.length <= maxComparedLength ? (suggestions.get(field)?.(value) ?? null) : null;

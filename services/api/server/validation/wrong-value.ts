import type { z } from 'zod';
import { ApiError } from '#contracts/http/api-error.ts';
import { jsonTypesOf } from '#contracts/http/option-texts.ts';
import { parseJson } from '#libs/documents/json/parse.ts';
import { describeReceived, messageOf } from './messages.ts';
import { fieldOf, type Place, schemaAt, validExample, valueAt } from './schema-paths.ts';
import { exampleOfType, suggestValue } from './suggest.ts';
import { isMillimetres } from '#libs/spelling/suggestion.ts';
import { pageSizes } from '#contracts/http/page-sizes.ts';
import { orientations } from '#contracts/http/render-options.ts';
import { inputTypes, requestModes } from '#contracts/http/render.ts';
import { pdfaLevels, pdfUa } from '#contracts/http/conformance.ts';
import { localeTag } from '#contracts/http/locale.ts';
import { maxComparedLength, plainFormOf } from '#libs/spelling/similar.ts';

/** `de_AT` and `de_AT.UTF-8`, as operating systems write them, are `de-AT`. */
const localeIn = (text: string): string | null => {
  const tag = localeTag.safeParse(text.replace(/[.@].*$/, '').replaceAll('_', '-'));
  return tag.success ? tag.data : null;
};

/** Time zones by the plain forms of their names and of their cities: both `europevienna` and `vienna`. */
let timeZones: ReadonlyMap<string, string> | undefined;
const findTimeZones = (): ReadonlyMap<string, string> =>
  new Map(
    Intl.supportedValuesOf('timeZone')
      .toReversed()
      .flatMap((zone) => [zone.replace(/^.*\//, ''), zone].map((text) => [plainFormOf(text), zone] as const)),
  );

/** The time zone of a city, such as `Europe/Vienna` for `Vienna`. */
const timeZoneOf = (city: string): string | null => (timeZones ??= findTimeZones()).get(plainFormOf(city)) ?? null;

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

type SpecificErrorName = 'invalid_mode' | 'invalid_input_type' | 'invalid_page_size' | 'invalid_orientation';
type SpecificError = { error: SpecificErrorName; validValues: readonly string[] };

/** Fields of a request with an error code of their own, used if the field is present but wrong. */
const specificErrors: ReadonlyMap<string, SpecificError> = new Map([
  ['mode', { error: 'invalid_mode', validValues: requestModes }],
  ['input_type', { error: 'invalid_input_type', validValues: inputTypes }],
  ['page_size', { error: 'invalid_page_size', validValues: pageSizes }],
  ['orientation', { error: 'invalid_orientation', validValues: orientations }],
]);

type Issue = z.core.$ZodIssue;

/** The suggestion of a check of its own, such as that of the placeholders. */
const suggestionOf = (issue: Issue): string | undefined => {
  const suggestion = issue.code === 'custom' ? (issue.params?.['did_you_mean'] as unknown) : undefined;
  return typeof suggestion === 'string' ? suggestion : undefined;
};

/** A longer text is not read again for an error. */
const maxJsonLength = 64 * 1024;

/** What is wrong with the JSON in a text, such as the field of a form, where an object or array is expected. */
const jsonProblemOf = (text: unknown, schema: z.ZodType | undefined): string | null => {
  if (typeof text !== 'string' || text.length > maxJsonLength || !/^\s*[[{]/.test(text) || !schema) return null;
  const types = jsonTypesOf(schema);
  if (!types.has('object') && !types.has('array')) return null;
  try {
    parseJson(text);
    return null;
  } catch (error) {
    return (error as Error).message.replace('The JSON', 'Its JSON');
  }
};

/** The message about a parameter of the query, which was read from text. */
const queryMessageOf = (issue: Issue, field: string, sent: unknown): string => {
  if (Array.isArray(sent)) return `${field} was sent ${sent.length} times; send it once.`;
  const message = messageOf(issue, field);
  return sent === '' ? message.replace(`${field} must`, `${field} is empty; it must`) : message;
};

/** Fields whose value is in no message. */
const secretNames = new Set(['user_password', 'owner_password']);

/** The error of a value that is wrong or missing. */
export const wrongValue = (
  issue: Issue,
  schema: z.ZodType,
  body: Record<string, unknown>,
  { at = [], isQuery = false }: Place,
): ApiError => {
  const { path } = issue;
  const name = path.findLast((part) => typeof part === 'string') ?? '';
  const specific = issue.input !== undefined ? specificErrors.get(name) : undefined;
  const validValues = specific?.validValues ?? (issue.code === 'invalid_value' ? issue.values.map(String) : []);
  const meant = suggestionOf(issue) ?? suggestValue(name, issue.input, validValues) ?? suggestFormat(name, issue.input);
  const expected = secretNames.has(name)
    ? null
    : issue.code === 'invalid_type'
      ? issue.expected
      : isMillimetres(name)
        ? 'number'
        : null;
  const example = expected && validExample(schemaAt(schema, path), name, exampleOfType(name, issue.input, expected));
  const field = fieldOf([...at, ...path]);
  const sent = valueAt(body, path);
  const message = specific
    ? `${field} must be one of ${validValues.join(', ')}.`
    : isQuery
      ? queryMessageOf(issue, field, sent)
      : messageOf(issue, field);
  const jsonProblem = jsonProblemOf(issue.input, schemaAt(schema, path));
  const text = [
    meant === null ? message : `${message.slice(0, -1)}; did you mean \`${meant}\`?`,
    ...(jsonProblem === null ? [] : [jsonProblem]),
    ...(example ? [`Example: ${JSON.stringify(example)}.`] : []),
  ].join(' ');
  const extra = {
    field,
    ...(meant === null ? {} : { did_you_mean: meant }),
    ...(example ? { example } : {}),
  };
  if (!specific) return ApiError.of('invalid_request', text, extra);
  const received = describeReceived(sent);
  return ApiError.of(specific.error, text, { received, valid_values: [...validValues], ...extra });
};

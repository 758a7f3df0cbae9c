import { z } from 'zod';
import { ApiError, truncateForMessage } from '#contracts/http/api-error.ts';
import { type Fields, fieldOf, fieldsAt, innermost, type Place, validExample, valueAt } from './schema-paths.ts';
import { suggestField } from './suggest.ts';
import { isMillimetres, marginIn, type Suggestion } from '#libs/spelling/suggestion.ts';

type Body = Record<string, unknown>;

const queryTextOf = (example: Record<string, unknown>): string =>
  new URLSearchParams(
    Object.entries(example).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();

const suggestionText = ({ fields, example, hint }: Suggestion, isQuery: boolean): string =>
  [
    fields.length > 0 ? `; did you mean ${fields.map((name) => `\`${name}\``).join(', ')}?` : '.',
    ...(hint === undefined ? [] : [hint]),
    ...(example ? [`Example: ${isQuery ? queryTextOf(example) : JSON.stringify(example)}.`] : []),
  ].join(' ');

/**
 * The field with the value that was sent, if it is valid there. Only numbers, booleans and enum values are repeated.
 */
const sentExample = (name: string, value: unknown, allowed: Fields): Record<string, unknown> | undefined => {
  const schema = allowed[name];
  const isRepeated = typeof value === 'number' || typeof value === 'boolean' || innermost(schema) instanceof z.ZodEnum;
  const meant = marginIn(isMillimetres(name) ? value : undefined) ?? value;
  return isRepeated || meant !== value ? validExample(schema, name, meant) : undefined;
};

/** An example that the schema allows. */
const isAllowedExample = (example: Record<string, unknown>, allowed: Fields): boolean =>
  Object.entries(example).every(([name, value]) => allowed[name]?.safeParse(value).success ?? false);

/** More names than these are hard to read in a sentence. */
const maxListedNames = 15;

/** A page of a URL has no callback unless it names one: `headers` then means those for the page. */
const suggestedFields = (body: Body, allowed: Fields): string[] => {
  const isPage = body['input_type'] === 'url' && body['webhook_url'] === undefined;
  return Object.keys(allowed).filter((name) => !isPage || name !== 'webhook_headers');
};

/** The error of one unknown field. */
export const unknownField = (
  key: string,
  path: readonly PropertyKey[],
  schema: z.ZodType,
  body: Body,
  { at = [], isQuery = false }: Place,
): ApiError => {
  const allowed = fieldsAt(schema, path);
  const value = valueAt(body, [...path, key]);
  const found = suggestField(key, value, suggestedFields(body, allowed));
  const { example: ofName, ...plain } = found ?? { fields: [] };
  const isShown = path.length === 0 || (ofName !== undefined && isAllowedExample(ofName, allowed));
  const example = (isShown ? ofName : undefined) ?? (plain.fields[0] && sentExample(plain.fields[0], value, allowed));
  const suggestion = found && { ...plain, ...(example ? { example } : {}) };
  const fields = suggestion?.fields ?? [];
  const names = Object.keys(allowed);
  const listed = names.length > 0 && names.length <= maxListedNames ? ` Allowed: ${names.join(', ')}.` : '';
  const kind = isQuery ? 'query parameter' : 'field';
  return ApiError.of(
    'invalid_request',
    `"${truncateForMessage(key)}" is not a ${kind} of ${fieldOf([...at, ...path]) || 'this request'}` +
      (suggestion ? suggestionText(suggestion, isQuery) : `.${listed}`),
    {
      field: fieldOf([...at, ...path, key]),
      ...(fields[0] === undefined ? {} : { did_you_mean: fields[0] }),
      ...(example ? { example } : {}),
    },
  );
};

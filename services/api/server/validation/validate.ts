import { z } from 'zod';
import { jsonTypesOf } from '#contracts/http/option-texts.ts';
import { parseJson } from '#libs/documents/json/parse.ts';
import { combineErrors, truncateForMessage, ApiError } from '#contracts/http/api-error.ts';
import { describeReceived, messageOf } from './messages.ts';
import { specificErrors } from './specific-errors.ts';
import { suggestField, suggestValue, exampleOfType } from './suggest.ts';
import { suggestFormat } from './suggest-format.ts';
import { isMillimetres, marginIn, type Suggestion } from './suggestion.ts';

type Issue = z.core.$ZodIssue;
type Body = Record<string, unknown>;
type Fields = Record<string, z.ZodType>;

/** The path of a field, such as `data.items[2].price`. */
const fieldOf = (path: readonly PropertyKey[]): string =>
  truncateForMessage(
    path.reduce<string>(
      (text, part) =>
        typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
      '',
    ),
  );

/** The schema without defaults and the like. */
const innermost = (schema: unknown): unknown => {
  if (schema instanceof z.ZodPipe) return innermost(schema.out);
  // Of `true or an object`, the fields are those of the object.
  if (schema instanceof z.ZodUnion) {
    const objects = schema.options.filter((option) => innermost(option) instanceof z.ZodObject);
    if (objects.length === 1) return innermost(objects[0]);
  }
  return schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodNullable
    ? innermost(schema.unwrap())
    : schema;
};

/** The schema of the value at this path; undefined if any value may be there. */
const schemaAt = (schema: unknown, [part, ...rest]: readonly PropertyKey[]): z.ZodType | undefined => {
  if (part === undefined) return schema instanceof z.ZodType ? schema : undefined;
  const inner = innermost(schema);
  if (inner instanceof z.ZodArray) return schemaAt(inner.element, rest);
  return inner instanceof z.ZodObject ? schemaAt(inner.shape[String(part)], rest) : undefined;
};

/** The fields that an object at this path may have. */
const fieldsAt = (schema: z.ZodType, path: readonly PropertyKey[]): Fields => {
  const inner = innermost(schemaAt(schema, path));
  return inner instanceof z.ZodObject ? inner.shape : {};
};

const valueAt = (body: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, part)
        ? (value as Record<PropertyKey, unknown>)[part]
        : undefined,
    body,
  );

/** The field with this value, if it is valid. */
const validExample = (
  schema: z.ZodType | undefined,
  name: string,
  value: unknown,
): Record<string, unknown> | undefined =>
  value !== undefined && schema?.safeParse(value).success ? { [name]: value } : undefined;

const suggestionText = ({ fields, example, hint }: Suggestion): string =>
  [
    fields.length > 0 ? `; did you mean ${fields.map((name) => `\`${name}\``).join(', ')}?` : '.',
    ...(hint === undefined ? [] : [hint]),
    ...(example ? [`Example: ${JSON.stringify(example)}.`] : []),
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
const unknownField = (
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
      (suggestion ? suggestionText(suggestion) : `.${listed}`),
    {
      field: fieldOf([...at, ...path, key]),
      ...(fields[0] === undefined ? {} : { did_you_mean: fields[0] }),
      ...(example ? { example } : {}),
    },
  );
};

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

/** Fields whose value is in no message. */
const secretNames = new Set(['user_password', 'owner_password']);

/** The error of a value that is wrong or missing. */
const wrongValue = (issue: Issue, schema: z.ZodType, body: Body, { at = [] }: Place): ApiError => {
  const { path } = issue;
  const name = path.findLast((part) => typeof part === 'string') ?? '';
  const specific = path.length === 1 && issue.input !== undefined ? specificErrors.get(name) : undefined;
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
  const message = specific ? `${field} must be one of ${validValues.join(', ')}.` : messageOf(issue, field);
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
  const received = describeReceived(Object.hasOwn(body, name) ? body[name] : undefined);
  return ApiError.of(specific.error, text, { received, valid_values: [...validValues], ...extra });
};

/** No more errors than these are made, because a response lists no more. */
const maxErrors = 50;

/** The errors of a body: at most 50, and the number of the others. `value` is the validated body, or null. */
export type Validation<T> = { value: T | null; errors: ApiError[]; uncollected: number };

/** The issues of a value for which one of several kinds was meant, such as the fields of an object. */
const issuesOf = (issue: Issue): Issue[] => {
  if (issue.code !== 'invalid_union') return [issue];
  const isMeant = (issues: readonly Issue[]): boolean =>
    issues.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys');
  const meant = issue.errors.filter((issues) => issues.length > 0 && isMeant(issues));
  const [only] = meant;
  if (meant.length !== 1 || typeof issue.input !== 'object' || Array.isArray(issue.input)) return [issue];
  return only!.flatMap((one) => issuesOf({ ...one, path: [...issue.path, ...one.path] }));
};

/** Where the values are in the request: the path of a part of it, or its query. */
type Place = { at?: readonly PropertyKey[]; isQuery?: boolean };

/**
 * Validates a body and fills in the defaults. `isReported` leaves out issues that the caller reports otherwise.
 */
export const findErrors = <S extends z.ZodType>(
  schema: S,
  body: Body,
  isReported: (issue: Issue) => boolean = () => true,
  place: Place = {},
): Validation<z.output<S>> => {
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return { value: result.data, errors: [], uncollected: 0 };
  const errors: ApiError[] = [];
  let uncollected = 0;
  const add = (count: number, errorAt: (index: number) => ApiError): void => {
    const kept = Math.min(count, maxErrors - errors.length);
    for (let index = 0; index < kept; index += 1) errors.push(errorAt(index));
    uncollected += count - kept;
  };
  for (const issue of result.error.issues.flatMap(issuesOf).filter(isReported)) {
    if (issue.code === 'unrecognized_keys')
      add(issue.keys.length, (index) => unknownField(issue.keys[index]!, issue.path, schema, body, place));
    else add(1, () => wrongValue(issue, schema, body, place));
  }
  return { value: null, errors, uncollected };
};

/** @throws ApiError one for all of the errors, if there are any */
export const throwErrors = ([first, ...others]: readonly ApiError[], uncollected = 0): void => {
  if (first) throw combineErrors([first, ...others], uncollected);
};

/**
 * Validates a body and fills in the defaults. `furtherErrors` are those that the schema does not find.
 * @throws ApiError the first error, with all others
 */
export const validate = <S extends z.ZodType>(
  schema: S,
  body: Body,
  furtherErrors: readonly ApiError[] = [],
  place: Place = {},
): z.output<S> => {
  const { value, errors, uncollected } = findErrors(schema, body, () => true, place);
  throwErrors([...errors, ...furtherErrors], uncollected);
  return value as z.output<S>;
};

/**
 * Runs the checks of the parts of a request and returns their results.
 * @throws ApiError the first error, with the errors of all parts
 */
export const runChecks = <T extends Record<string, () => unknown>>(checks: T): { [K in keyof T]: ReturnType<T[K]> } => {
  const errors: ApiError[] = [];
  const results = Object.entries(checks).map(([name, check]) => {
    try {
      return [name, check()];
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      errors.push(error);
      return [name, null];
    }
  });
  throwErrors(errors);
  return Object.fromEntries(results) as { [K in keyof T]: ReturnType<T[K]> };
};

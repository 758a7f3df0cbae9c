import type { z } from 'zod';
import { truncateForMessage, ApiError } from '#contracts/http/api-error.ts';
import { orientations, pageSizes } from '#contracts/http/render-options.ts';
import { inputTypes, requestModes } from '#contracts/http/render.ts';

type Issue = z.core.$ZodIssue;
type Body = Record<string, unknown>;

/** The path of a field, such as `data.items[2].price`. */
const fieldOf = (path: readonly PropertyKey[]): string =>
  truncateForMessage(
    path.reduce<string>(
      (text, part) =>
        typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
      '',
    ),
  );

const maxNamedFields = 5;

/** `"a", "b" are not fields`, with at most five names. */
const unknownFieldsText = (keys: readonly string[]): string => {
  const named = keys.slice(0, maxNamedFields).map((key) => `"${truncateForMessage(key)}"`);
  const more = keys.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} ${keys.length === 1 ? 'is not a field' : 'are not fields'}`;
};

const oneOf = (values: readonly string[]): string => values.join(', ');

/** A received value for an error, never a long text. */
const describeReceived = (received: unknown): unknown => {
  if (typeof received === 'string') return truncateForMessage(received);
  if (Array.isArray(received)) return 'array';
  return typeof received === 'object' && received !== null ? 'object' : received;
};

/** Fields with an error code of their own, used if the field is present but wrong. */
const errorsByField: Record<string, (received: unknown) => ApiError> = {
  mode: (received) =>
    ApiError.of('invalid_mode', `mode must be one of ${oneOf(requestModes)}.`, {
      received: describeReceived(received),
      valid_values: [...requestModes],
    }),
  input_type: (received) =>
    ApiError.of('invalid_input_type', `input_type must be one of ${oneOf(inputTypes)}.`, {
      received: describeReceived(received),
      valid_values: [...inputTypes],
    }),
  page_size: (received) =>
    ApiError.of('invalid_page_size', `page_size must be one of ${oneOf(pageSizes)}.`, {
      received: describeReceived(received),
      valid_values: [...pageSizes],
    }),
  orientation: (received) =>
    ApiError.of('invalid_orientation', `orientation must be one of ${oneOf(orientations)}.`, {
      received: describeReceived(received),
    }),
};

const unitOf = ({ origin }: { origin: string }): string => (origin === 'string' ? ' characters long' : '');

const issueMessage = (issue: Issue, field: string): string => {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `${unknownFieldsText(issue.keys)} of this request.`;
    case 'too_small':
      return `${field} must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}${unitOf(issue)}.`;
    case 'too_big':
      return `${field} must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}${unitOf(issue)}.`;
    case 'invalid_value': {
      const allowed = `must be one of ${oneOf(issue.values.map(String))}.`;
      return issue.input === undefined ? `${field} is missing; it ${allowed}` : `${field} ${allowed}`;
    }
    case 'invalid_type':
      return issue.input === undefined
        ? `${field} is missing; it must be of type ${issue.expected}.`
        : `${field} must be of type ${issue.expected}.`;
    default:
      return `${field}${issue.message.startsWith('must ') ? '' : ':'} ${issue.message}.`;
  }
};

const apiErrorOf = (issue: Issue, body: Body): ApiError => {
  const field = fieldOf(issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path);
  const [top] = issue.path;
  const received = typeof top === 'string' ? body[top] : undefined;
  if (issue.path.length === 1 && received !== undefined && Object.hasOwn(errorsByField, String(top)))
    return errorsByField[String(top)]!(received);
  return ApiError.of('invalid_request', issueMessage(issue, field), { field });
};

/** Validates a body and fills in the defaults. @throws ApiError for the first issue */
export const validate = <S extends z.ZodType>(schema: S, body: Body): z.output<S> => {
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  throw apiErrorOf(result.error.issues[0]!, body);
};

import type { z } from 'zod';
import { brief, Problem } from '#contracts/http/problem.ts';
import { orientations, pageSizes } from '#contracts/http/render-options.ts';
import { inputTypes, modes } from '#contracts/http/render.ts';

type Issue = z.core.$ZodIssue;
type Body = Record<string, unknown>;

/** A path as a caller would write it: `data.items[2].price`. */
const fieldOf = (path: readonly PropertyKey[]): string =>
  brief(path.reduce<string>((text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`), ''));

const mostNamed = 5;

/** `"a", "b" are no fields`, with the first few named. */
const strangers = (keys: readonly string[]): string => {
  const named = keys.slice(0, mostNamed).map((key) => `"${brief(key)}"`);
  const more = keys.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} ${keys.length === 1 ? 'is not a field' : 'are no fields'}`;
};

const oneOf = (values: readonly string[]): string => values.join(', ');

/** What a caller sent, as it may stand in an answer: never at length. */
const shown = (received: unknown): unknown => {
  if (typeof received === 'string') return brief(received);
  if (Array.isArray(received)) return 'array';
  return typeof received === 'object' && received !== null ? 'object' : received;
};

/** The errors that have a name of their own; each holds only where the field is there but wrong. */
const wrongValue: Record<string, (received: unknown) => Problem> = {
  mode: (received) => Problem.of('invalid_mode', `mode must be one of ${oneOf(modes)}.`, { received: shown(received), valid_values: [...modes] }),
  input_type: (received) => Problem.of('invalid_input_type', `input_type must be one of ${oneOf(inputTypes)}.`, { received: shown(received), valid_values: [...inputTypes] }),
  page_size: (received) => Problem.of('invalid_page_size', `page_size must be one of ${oneOf(pageSizes)}.`, { received: shown(received), valid_values: [...pageSizes] }),
  orientation: (received) => Problem.of('invalid_orientation', `orientation must be one of ${oneOf(orientations)}.`, { received: shown(received) }),
};

const sentence = (issue: Issue, field: string): string => {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `${strangers(issue.keys)} of this request.`;
    case 'too_small':
      return `${field} must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}${issue.origin === 'string' ? ' characters long' : ''}.`;
    case 'too_big':
      return `${field} must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}${issue.origin === 'string' ? ' characters long' : ''}.`;
    case 'invalid_value':
      return `${field} must be one of ${oneOf(issue.values.map(String))}.`;
    case 'invalid_type':
      return issue.input === undefined ? `${field} is missing; it must be of type ${issue.expected}.` : `${field} must be of type ${issue.expected}.`;
    default:
      return `${field}: ${issue.message}.`;
  }
};

const problemOf = (issue: Issue, body: Body): Problem => {
  const field = fieldOf(issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path);
  const [top] = issue.path;
  const received = typeof top === 'string' ? body[top] : undefined;
  if (issue.path.length === 1 && received !== undefined && Object.hasOwn(wrongValue, String(top))) return wrongValue[String(top)]!(received);
  return Problem.of('invalid_request', sentence(issue, field), { field });
};

/** Checks a body against its schema and fills in the defaults. @throws Problem, named after the first thing that is wrong */
export const validated = <S extends z.ZodType>(schema: S, body: Body): z.output<S> => {
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  throw problemOf(result.error.issues[0]!, body);
};

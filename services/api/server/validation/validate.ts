import type { z } from 'zod';
import { ApiError, throwErrors } from '#contracts/http/api-error.ts';
import type { Place } from './schema-paths.ts';
import { unknownField } from './unknown-field.ts';
import { wrongValue } from './wrong-value.ts';

type Issue = z.core.$ZodIssue;
type Body = Record<string, unknown>;

/** No more errors than these are made, because a response lists no more. */
export const maxErrors = 50;

/** The errors of a body, and the number of those that were only counted. `value` is the validated body, or null. */
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

/**
 * Validates a body and fills in the defaults. `isReported` leaves out issues that the caller reports otherwise. Errors
 * beyond `max` are only counted.
 */
export const findErrors = <S extends z.ZodType>(
  schema: S,
  body: Body,
  isReported: (issue: Issue) => boolean = () => true,
  place: Place = {},
  max = maxErrors,
): Validation<z.output<S>> => {
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return { value: result.data, errors: [], uncollected: 0 };
  const errors: ApiError[] = [];
  let uncollected = 0;
  const add = (count: number, errorAt: (index: number) => ApiError): void => {
    const kept = Math.max(0, Math.min(count, max - errors.length));
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

import { ApiError } from '#contracts/http/api-error.ts';
import { templateLimits } from './limits.ts';

export const truncateForMessage = (text: string): string =>
  text.length > templateLimits.messageCharacters ? `${text.slice(0, templateLimits.messageCharacters)}…` : text;

export const describeValue = (value: unknown): string => {
  const text =
    typeof value === 'object' && value !== null
      ? Array.isArray(value)
        ? 'a list'
        : 'an object'
      : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};

/** The data lacks a value. `source` is the path in the template, `fullPath` is the path from the top of the data. */
export const missingValueError = (source: string, fullPath: string, line: number): ApiError => {
  const where = fullPath === '' || fullPath === source ? '' : ` (${truncateForMessage(fullPath)})`;
  return ApiError.of(
    'template_render_error',
    `The data has no value for "${truncateForMessage(source)}"${where}, which line ${line} of the template needs.`,
    { missing_variable: source.slice(0, templateLimits.pathCharacters), line },
  );
};

/** The data has a value that the template cannot use. `reason` says what is wrong and what is allowed. */
export const unsuitableValueError = (variable: string, line: number, reason: string): ApiError =>
  ApiError.of('template_render_error', `Line ${line} of the template: ${reason}`, {
    variable: variable.slice(0, templateLimits.pathCharacters),
    line,
  });

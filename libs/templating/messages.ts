import { ApiError } from '#contracts/http/api-error.ts';
import { templateLimits } from './limits.ts';

/** A text short enough for a message. */
export const truncateForMessage = (text: string): string =>
  text.length > templateLimits.messageCharacters ? `${text.slice(0, templateLimits.messageCharacters)}…` : text;

/** A wrong value, short enough and plain enough for a message. */
export const describeValue = (value: unknown): string => {
  const text =
    typeof value === 'object' && value !== null
      ? Array.isArray(value)
        ? 'a list'
        : 'an object'
      : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};

/** The data lacks a value: `written` is the path as the template has it, `full` the same from the top of the data. */
export const missingValueError = (written: string, full: string, line: number): ApiError => {
  const where = full === '' || full === written ? '' : ` (${truncateForMessage(full)})`;
  return ApiError.of(
    'template_render_error',
    `The data has no value for "${truncateForMessage(written)}"${where}, which line ${line} of the template needs.`,
    { missing_variable: written.slice(0, templateLimits.pathCharacters), line },
  );
};

/** A value is there, but it is not what the template can use. `expected` ends the sentence "... is". */
export const unsuitableValueError = (variable: string, line: number, complaint: string): ApiError =>
  ApiError.of('template_render_error', `Line ${line} of the template: ${complaint}`, {
    variable: variable.slice(0, templateLimits.pathCharacters),
    line,
  });

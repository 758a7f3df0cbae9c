import { Problem } from '#contracts/http/problem.ts';
import { limits } from './limits.ts';

/** A text short enough for a message. */
export const shown = (text: string): string => (text.length > limits.shown ? `${text.slice(0, limits.shown)}…` : text);

/** A wrong value, short enough and plain enough for a message. */
export const quoted = (value: unknown): string => {
  const text = typeof value === 'object' && value !== null ? (Array.isArray(value) ? 'a list' : 'an object') : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};

/** The data lacks a value: `written` is the path as the template has it, `full` the same from the top of the data. */
export const missing = (written: string, full: string, line: number): Problem => {
  const where = full === '' || full === written ? '' : ` (${shown(full)})`;
  return Problem.of('template_render_error', `The data has no value for "${shown(written)}"${where}, which line ${line} of the template needs.`, { missing_variable: written.slice(0, limits.path), line });
};

/** A value is there, but it is not what the template can use. `expected` ends the sentence "... is". */
export const unfit = (variable: string, line: number, complaint: string): Problem =>
  Problem.of('template_render_error', `Line ${line} of the template: ${complaint}`, { variable: variable.slice(0, limits.path), line });

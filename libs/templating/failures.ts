import { Problem } from '#contracts/http/problem.ts';
import { limits } from './limits.ts';
import { shown } from './wording.ts';

/** The data lacks a value: `written` is the path as the template has it, `full` the same from the top of the data. */
export const missing = (written: string, full: string, line: number): Problem => {
  const where = full === '' || full === written ? '' : ` (${shown(full)})`;
  return Problem.of('template_render_error', `The data has no value for "${shown(written)}"${where}, which line ${line} of the template needs.`, { missing_variable: written.slice(0, limits.path), line });
};

/** A value is there, but it is not what the template can use. `expected` ends the sentence "... is". */
export const unfit = (variable: string, line: number, complaint: string): Problem =>
  Problem.of('template_render_error', `Line ${line} of the template: ${complaint}`, { variable: variable.slice(0, limits.path), line });

import { unfit } from './failures.ts';
import { shown } from './wording.ts';

const isScalar = (value: unknown) => value === null || typeof value !== 'object';

/**
 * A value as text: null is empty, a list of plain values is joined by commas as Handlebars does.
 * An object is refused, for "[object Object]" is never what a document should say.
 */
export const textOf = (value: unknown, name: string, line: number): string => {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (Array.isArray(value) && value.every(isScalar)) return value.join(',');
  if (typeof value === 'object') {
    throw unfit(name, line, `"${shown(name)}" is ${Array.isArray(value) ? 'a list of objects' : 'an object'} and cannot be shown as text; name one of its fields, or use {{json ...}}.`);
  }
  return `${value as number | boolean}`;
};

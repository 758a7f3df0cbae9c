import type { VariableDeclaration } from '#contracts/http/templates.ts';
import { isExactNumber } from '#contracts/http/exact-numbers.ts';

/** What a placeholder can refer to at one level: `value` is an example of it, `names` what `as |item|` sets. */
export type Context = { value: unknown; isLoop: boolean; names: Readonly<Record<string, unknown>> };

/** The place of the cursor: the contexts from the data to the innermost block, and the open blocks. */
export type Place = { contexts: Context[]; openBlocks: string[] };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);

/** An entry of a list with the fields of all of its entries. */
const entryOf = (list: unknown): unknown => {
  const entries = Array.isArray(list) ? list.slice(0, 50) : isObject(list) ? Object.values(list).slice(0, 50) : [];
  const objects = entries.filter(isObject);
  return objects.length > 0 ? Object.assign({}, ...objects.toReversed()) : entries[0];
};

const memberOf = (value: unknown, name: string): unknown => {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
};

const exampleOf: Record<VariableDeclaration['type'], unknown> = {
  string: '',
  number: 0,
  boolean: true,
  array: [],
  object: {},
  date: '2026-01-31',
};

/** The sample data, with an example for each declared variable that they lack. */
export const withDeclaredVariables = (
  sample: Record<string, unknown>,
  variables: readonly VariableDeclaration[],
): Record<string, unknown> => {
  const missing = variables.filter(({ name }) => !name.includes('.') && !Object.hasOwn(sample, name));
  return { ...sample, ...Object.fromEntries(missing.map(({ name, type }) => [name, exampleOf[type]])) };
};

/** An example of what a path such as `../seller.name` or `this` refers to; undefined if nothing is known. */
export const resolvePath = (path: string, contexts: readonly Context[]): unknown => {
  let [rest, depth] = [path, 0];
  for (; rest.startsWith('../'); rest = rest.slice(3)) depth += 1;
  const levels = contexts.slice(0, Math.max(1, contexts.length - depth));
  const parts = rest.split(/[./]/).filter((part) => part !== '' && part !== 'this');
  if (parts[0] === '@root') return parts.slice(1).reduce(memberOf, contexts[0]?.value);
  const [first] = parts;
  const named = first === undefined ? undefined : levels.findLast(({ names }) => Object.hasOwn(names, first));
  if (named && depth === 0) return parts.slice(1).reduce(memberOf, named.names[first!]);
  return parts.reduce(memberOf, levels.at(-1)?.value);
};

const tagPattern = /\{\{~?([#/^])\s*(\w+)((?:"[^"]*"|'[^']*'|[^}"'])*)\}\}/g;
const namesPattern = /\bas\s+\|([^|]*)\|/;

/** The place at the end of a text. */
export const placeAfter = (text: string, data: Record<string, unknown>): Place => {
  const stack: { name: string; context: Context | null }[] = [];
  const contextsOf = (): Context[] => [
    { value: data, isLoop: false, names: {} },
    ...stack.flatMap(({ context }) => context ?? []),
  ];
  for (const [, mark, name = '', args = ''] of text
    .replaceAll(/\{\{!(?:--.*?--|[^}]*)\}\}/gs, '')
    .matchAll(tagPattern)) {
    if (mark === '/') {
      const at = stack.findLastIndex((block) => block.name === name);
      if (at >= 0) stack.length = at;
      continue;
    }
    const value = resolvePath(args.trim().split(/\s+/)[0] ?? '', contextsOf());
    const isLoop = name === 'each';
    const inner = isLoop ? entryOf(value) : value;
    const [item, index] = (namesPattern.exec(args)?.[1] ?? '').trim().split(/\s+/);
    const names = { ...(item ? { [item]: inner } : {}), ...(index ? { [index]: 0 } : {}) };
    stack.push({ name, context: isLoop || name === 'with' ? { value: inner, isLoop, names } : null });
  }
  return { contexts: contextsOf(), openBlocks: stack.map(({ name }) => name) };
};

/** What stands between the last `{{` and the end of a text; null if no placeholder is open there. */
export const openPlaceholder = (before: string): { start: number; inside: string } | null => {
  const at = before.lastIndexOf('{{');
  if (at < 0) return null;
  const inside = before.slice(at).replace(/^\{+~?/, '');
  return inside.includes('}}') || inside.startsWith('!') ? null : { start: at, inside };
};

/** The names of the fields of a value. */
export const fieldsOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

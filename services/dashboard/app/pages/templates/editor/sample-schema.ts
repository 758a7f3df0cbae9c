import { jsonLanguage } from '@codemirror/lang-json';
import type { VariableDeclaration } from '#contracts/http/templates.ts';
import { isExactNumber, isFiniteNumber, parseExactJson } from '#contracts/http/exact-numbers.ts';
import { strings } from '../../../strings/strings.ts';

type JsonSchema = { type?: string; format?: string; properties?: Record<string, JsonSchema>; required?: string[] };

const schemaTypes: Record<VariableDeclaration['type'], JsonSchema> = {
  string: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  array: { type: 'array' },
  object: { type: 'object' },
  date: { type: 'string', format: 'date' },
};

/** A JSON Schema for the data of a template, from its declared variables. */
export const schemaOf = (variables: readonly VariableDeclaration[]): JsonSchema => {
  const schema: JsonSchema = { type: 'object', properties: {}, required: [] };
  for (const { name, type, required } of variables) {
    const parts = name.split('.');
    const last = parts.pop()!;
    let holder = schema;
    for (const part of parts) {
      holder.properties ??= {};
      holder = holder.properties[part] ??= { type: 'object', properties: {} };
    }
    (holder.properties ??= {})[last] = { ...holder.properties[last], ...schemaTypes[type] };
    if (required) (holder.required ??= []).push(last);
  }
  return schema;
};

const isDate = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d(?:[T ].*)?$/.test(value) && !Number.isNaN(Date.parse(value));

const isOfType: Record<VariableDeclaration['type'], (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: isFiniteNumber,
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && !Array.isArray(value) && !isExactNumber(value),
  date: isDate,
};

export type SampleProblem = { from: number; to: number; message: string };

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !isExactNumber(value) &&
  Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** Where the property at a path is in the text; the first character if there is none. */
const placeOf = (text: string, path: readonly string[]): { from: number; to: number } => {
  let node = jsonLanguage.parser.parse(text).topNode.getChild('Object');
  let place = { from: 0, to: Math.min(1, text.length) };
  for (const name of path) {
    const property = node?.getChildren('Property').find((one) => {
      const key = one.getChild('PropertyName');
      return key !== null && text.slice(key.from, key.to) === JSON.stringify(name);
    });
    if (!property) return place;
    place = { from: property.from, to: property.to };
    node = property.getChild('Object');
  }
  return place;
};

/** What does not fit the declared variables. Text that is not a JSON object has no problem here. */
export const sampleProblems = (text: string, variables: readonly VariableDeclaration[]): SampleProblem[] => {
  let data: unknown;
  try {
    data = parseExactJson(text);
  } catch {
    return [];
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    return [{ from: 0, to: text.length, message: strings.templates.editor.notObject }];
  return variables.flatMap(({ name, type, required }): SampleProblem[] => {
    const top = member(data, name);
    const path = top === undefined ? name.split('.') : [name];
    const value = top ?? path.reduce(member, data);
    const texts = strings.templates.editor;
    if (value === undefined) return required ? [{ ...placeOf(text, path), message: texts.missing(name) }] : [];
    const shown = strings.templates.variables.types[type];
    return value === null || isOfType[type](value)
      ? []
      : [{ ...placeOf(text, path), message: texts.wrongType(name, shown) }];
  });
};

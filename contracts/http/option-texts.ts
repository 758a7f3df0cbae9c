import { z } from 'zod';
import { optionalRenderOptionFields } from './render-options.ts';

type JsonSchema = { type?: string | string[]; anyOf?: JsonSchema[]; oneOf?: JsonSchema[] };

const typesIn = ({ type = [], anyOf = [], oneOf = [] }: JsonSchema): string[] => [
  ...[type].flat(),
  ...[...anyOf, ...oneOf].flatMap(typesIn),
];

/** The types of the values that a schema takes, as JSON Schema names them. */
export const jsonTypesOf = (schema: z.ZodType): Set<string> =>
  new Set(typesIn(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema));

const typeNamesOf = (value: unknown): string[] => {
  if (typeof value === 'number') return ['number', 'integer'];
  return [value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value];
};

type OptionName = keyof typeof optionalRenderOptionFields;

/** Front matter asks for them with every document, and making a JSON Schema takes long. */
const knownTypes = new Map<OptionName, Set<string>>();
const typesOfOption = (name: OptionName): Set<string> => {
  const types = knownTypes.get(name) ?? jsonTypesOf(optionalRenderOptionFields[name]);
  knownTypes.set(name, types);
  return types;
};

const isTextInstead = (name: OptionName, value: unknown): boolean => {
  const types = typesOfOption(name);
  return types.has('string') && !typeNamesOf(value).some((type) => types.has(type));
};

/**
 * The value of an option that a form, the command line or front matter has as a text. `value` is what the text says: `1` is
 * a number, but not for `page_ranges`, which takes only texts. `pdf/a-3b,pdf/ua-1` is a list of two standards.
 */
export const optionValueOf = (name: string, text: string, value: unknown): unknown => {
  if (!Object.hasOwn(optionalRenderOptionFields, name)) return value;
  if (value !== text && !isTextInstead(name as OptionName, value)) return value;
  return name === 'conformance' && text.includes(',') ? text.split(',').map((standard) => standard.trim()) : text;
};

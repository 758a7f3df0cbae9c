import { z } from 'zod';
import { schemaNames } from '../../server/route.ts';

export type Json = Record<string, unknown>;

/** `input`: what callers send, where defaults may be left out. `output`: what they get, where defaults are filled in. */
export type Direction = 'input' | 'output';

// Removes the range of all JavaScript integers, the type of keys, the promise that responses get no new fields, and the
// long patterns of dates and times, whose format says the same.
const withoutNoise = (schema: Json, direction: Direction): void => {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format === 'date' || schema.format === 'date-time') delete schema.pattern;
  delete schema.propertyNames;
  if (direction === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
};

/** The JSON Schema of a zod schema as OpenAPI 3.1 has it, with nested schemas inlined. */
export const jsonSchemaOf = (schema: z.ZodType, direction: Direction): Json => {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, {
    io: direction,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      withoutNoise(jsonSchema, direction);
      // Zod omits the default of a schema that changes its input, such as the letter case of a name.
      const initial = z.globalRegistry.get(zodSchema)?.default;
      if (initial !== undefined) jsonSchema.default = initial;
    },
  }) as Json;
  return jsonSchema;
};

/** A reference to a named schema; other schemas as they are. */
export const referenceTo = (schema: z.ZodType, direction: Direction): Json => {
  const name = schemaNames.get(schema)?.id;
  return name === undefined ? jsonSchemaOf(schema, direction) : { $ref: `#/components/schemas/${name}` };
};

/** The definition of a named schema. The members of a union of named schemas are references. */
export const definitionOf = (schema: z.ZodType, direction: Direction): Json =>
  schema instanceof z.ZodUnion
    ? { oneOf: schema.options.map((option) => referenceTo(option as z.ZodType, direction)) }
    : jsonSchemaOf(schema, direction);

/** The fields as parameters of an operation. */
export const parametersIn = (location: 'path' | 'query' | 'header', fields: z.ZodObject | undefined): Json[] => {
  if (!fields) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(fields, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: location,
    required: required.includes(name),
    ...(description ? { description } : {}),
    schema,
  }));
};

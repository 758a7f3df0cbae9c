import { z } from 'zod';
import { schemaNames } from '../../server/route.ts';

export type Json = Record<string, unknown>;

/** Whether a schema describes what callers send (defaults may be left out) or what they get (defaults are filled in). */
export type Direction = 'input' | 'output';

// Left out: the range that every JavaScript integer has, that keys are text, and that answers never grow a field.
const withoutNoise = (schema: Json, direction: Direction): void => {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  delete schema.propertyNames;
  if (direction === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
};

export const jsonSchemaOf = (schema: z.ZodType, direction: Direction): Json => {
  const { $schema: _, ...written } = z.toJSONSchema(schema, {
    io: direction,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => withoutNoise(jsonSchema as Json, direction),
  }) as Json;
  return written;
};

/** A reference to the schema where it has a name, else the schema itself. */
export const referenceTo = (schema: z.ZodType, direction: Direction): Json => {
  const name = schemaNames.get(schema)?.id;
  return name === undefined ? jsonSchemaOf(schema, direction) : { $ref: `#/components/schemas/${name}` };
};

/** The definition of a named schema. The members of a union of named schemas are references. */
export const definitionOf = (schema: z.ZodType, direction: Direction): Json =>
  schema instanceof z.ZodUnion
    ? { oneOf: schema.options.map((option) => referenceTo(option as z.ZodType, direction)) }
    : jsonSchemaOf(schema, direction);

import { z } from 'zod';
import { truncateForMessage } from '#contracts/http/api-error.ts';

/** The fields of an object and their schemas. */
export type Fields = Record<string, z.ZodType>;

/** Where the values are in the request: the path of a part of it, or its query. */
export type Place = { at?: readonly PropertyKey[]; isQuery?: boolean };

/** The path of a field, such as `data.items[2].price`. */
export const fieldOf = (path: readonly PropertyKey[]): string =>
  truncateForMessage(
    path.reduce<string>(
      (text, part) =>
        typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
      '',
    ),
  );

/** The schema without defaults and the like. */
export const innermost = (schema: unknown): unknown => {
  if (schema instanceof z.ZodPipe) return innermost(schema.out);
  // Of `true or an object`, the fields are those of the object.
  if (schema instanceof z.ZodUnion) {
    const objects = schema.options.filter((option) => innermost(option) instanceof z.ZodObject);
    if (objects.length === 1) return innermost(objects[0]);
  }
  return schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodNullable
    ? innermost(schema.unwrap())
    : schema;
};

/** The schema of the value at this path; undefined if any value may be there. */
export const schemaAt = (schema: unknown, [part, ...rest]: readonly PropertyKey[]): z.ZodType | undefined => {
  if (part === undefined) return schema instanceof z.ZodType ? schema : undefined;
  const inner = innermost(schema);
  if (inner instanceof z.ZodArray) return schemaAt(inner.element, rest);
  return inner instanceof z.ZodObject ? schemaAt(inner.shape[String(part)], rest) : undefined;
};

/** The fields that an object at this path may have. */
export const fieldsAt = (schema: z.ZodType, path: readonly PropertyKey[]): Fields => {
  const inner = innermost(schemaAt(schema, path));
  return inner instanceof z.ZodObject ? inner.shape : {};
};

/** The value at a path of a body; undefined if there is none. */
export const valueAt = (body: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, part)
        ? (value as Record<PropertyKey, unknown>)[part]
        : undefined,
    body,
  );

/** The field with this value, if it is valid. */
export const validExample = (
  schema: z.ZodType | undefined,
  name: string,
  value: unknown,
): Record<string, unknown> | undefined =>
  value !== undefined && schema?.safeParse(value).success ? { [name]: value } : undefined;

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

/** A type of JSON in the text of an error: `number` is `a number`. */
export const typeNameOf = (type: string): string => typeNames[type] ?? `of type ${type}`;

/** Whether a value of JSON is an object, which an array is not. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A JSON value that keeps what the text says: every key, also repeated ones, in order, and literals as they are written. */
export type JsonValue =
  | { type: 'object'; entries: [key: string, value: JsonValue][] }
  | { type: 'array'; items: JsonValue[] }
  | { type: 'string'; text: string }
  | { type: 'number' | 'boolean' | 'null'; text: string };

export type JsonContainer = Extract<JsonValue, { type: 'object' | 'array' }>;

export const isContainer = (value: JsonValue): value is JsonContainer => value.type === 'object' || value.type === 'array';

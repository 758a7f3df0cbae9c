import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventSchemas } from '#contracts/events/event-schemas.ts';
import { bounds } from '#contracts/events/bounded.ts';
import { metadata } from '#contracts/events/metadata.ts';
import { maxEventBytes } from '#libs/event-store/port.ts';

type Definition = {
  type: string;
  checks?: { _zod: { def: { check: string; maximum?: number } } }[];
  shape?: Record<string, z.ZodType>;
  options?: z.ZodType[];
  innerType?: z.ZodType;
  out?: z.ZodType;
  element?: z.ZodType;
  keyType?: z.ZodType;
  valueType?: z.ZodType;
  values?: unknown[];
  entries?: Record<string, unknown>;
};

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const longest = (sizes: readonly number[]): number => Math.max(...sizes, 0);
/** A UTF-16 unit has at most six bytes in JSON. */
const textBytes = (units: number): number => 6 * units + 2;
const numberBytes = 25;

/** The maximum number of bytes of a schema's JSON; infinite if the schema has no limit. */
const maxBytesOf = (schema: z.ZodType): number => {
  const def = schema.def as unknown as Definition;
  const bound = bounds.get(schema) as { bytes?: number; items?: number } | undefined;
  if (bound?.bytes !== undefined) return bound.bytes;
  const items = bound?.items ?? Infinity;
  switch (def.type) {
    case 'object':
      return (
        2 + Object.entries(def.shape!).reduce((sum, [name, inner]) => sum + jsonBytes(name) + 2 + maxBytesOf(inner), 0)
      );
    case 'array':
      return 2 + items * (maxBytesOf(def.element!) + 1);
    case 'record':
      return 2 + items * (maxBytesOf(def.keyType!) + maxBytesOf(def.valueType!) + 2);
    case 'union':
      return longest(def.options!.map(maxBytesOf));
    case 'nullable':
      return longest([4, maxBytesOf(def.innerType!)]);
    case 'pipe':
      return maxBytesOf(def.out!);
    case 'optional':
    case 'default':
      return maxBytesOf(def.innerType!);
    case 'literal':
    case 'enum':
      return longest((def.values ?? Object.values(def.entries!)).map(jsonBytes));
    case 'string':
      return textBytes(def.checks?.find(({ _zod }) => _zod.def.check === 'max_length')?._zod.def.maximum ?? Infinity);
    case 'number':
      return numberBytes;
    case 'boolean':
      return 5;
    default:
      return Infinity;
  }
};

describe('The maximum size of an event fits into the event log:', () => {
  it.each([...Object.entries(eventSchemas), ['what every event carries', metadata] as const])('%s', (_, schema) => {
    expect(maxBytesOf(schema)).toBeLessThanOrEqual(maxEventBytes);
  });
});

it('A schema without a size limit is detected', () => {
  for (const unbounded of [
    z.string(),
    z.array(z.boolean()),
    z.record(z.string().max(3), z.boolean()),
    z.unknown(),
    z.date(),
  ]) {
    expect(maxBytesOf(z.object({ inner: unbounded.nullable() }))).toBe(Infinity);
  }
});

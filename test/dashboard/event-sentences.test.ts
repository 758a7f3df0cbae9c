import { expect, it } from 'vitest';
import { z } from 'zod';
import { visibleDataOf } from '#contracts/events/audit.ts';
import { eventSchemas, type EventType } from '#contracts/events/event-schemas.ts';
import { strings } from '../../services/dashboard/app/strings/strings.ts';

type Schema = Partial<Record<'anyOf' | 'oneOf' | 'allOf', Schema[]>> & { properties?: Record<string, Schema> };

const alternativesOf = (schema: Schema): Schema[] => [
  schema,
  ...[schema.anyOf, schema.oneOf, schema.allOf].flatMap((parts) => (parts ?? []).flatMap(alternativesOf)),
];

const hasField = (schema: Schema, [name, ...rest]: readonly string[]): boolean =>
  name === undefined ||
  alternativesOf(schema).some(({ properties }) => properties?.[name] !== undefined && hasField(properties[name], rest));

/** The names of a field in the event of a field that the API returns, as `eventDataView` translates them. */
const namesOf = (path: string): string[] =>
  path
    .replace(/^error\.error$/, 'error.name')
    .replaceAll(/_[a-z]/g, (found) => found[1]!.toUpperCase())
    .split('.');

/** Values for which sentences differ. */
const values = ['', '1', 'RENDER', 'CONVERT', 'failed'];

it.each(Object.keys(eventSchemas) as EventType[])(
  'The sentence of %s shows only fields that the API returns',
  (type) => {
    const schema = z.toJSONSchema(eventSchemas[type], { reused: 'inline', unrepresentable: 'any' }) as Schema;
    const isReturned = (path: string): boolean => {
      const names = namesOf(path);
      return hasField(schema, names) && Object.hasOwn(visibleDataOf(type, { [names[0]!]: 1 }), names[0]!);
    };
    const shown = new Set<string>();
    for (const value of values) strings.audit.sentences[type]((path) => (shown.add(path), value));
    expect([...shown].filter((path) => !isReturned(path))).toEqual([]);
  },
);

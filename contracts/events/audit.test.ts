import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { auditRules, eventKinds, eventTypesOf, visibleDataOf } from './audit.ts';
import { eventSchemas } from './event-schemas.ts';

const secretName = /\.[^.]*(secret|token|hash|fingerprint|challenge|password)[^.]*$|\.worker$/i;

/** The names of all fields within a schema. */
const namesIn = (schema: z.ZodType): string[] => {
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, inner]) => [
      name,
      ...namesIn(inner).map((one) => `${name}.${one}`),
    ]);
  if (schema instanceof z.ZodUnion) return (schema.options as z.ZodType[]).flatMap(namesIn);
  if (schema instanceof z.ZodArray) return namesIn(schema.element as z.ZodType);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return namesIn(schema.unwrap() as z.ZodType);
  return [];
};

describe('The fields of events that the API shows', () => {
  it('are decided for every field of every event', () => {
    const decided = Object.entries(auditRules).map(([type, { fields }]) => [type, Object.keys(fields).toSorted()]);
    const schemas = Object.entries(eventSchemas).map(([type, { shape }]) => [type, Object.keys(shape).toSorted()]);
    expect(Object.fromEntries(decided)).toEqual(Object.fromEntries(schemas));
  });

  it('have no secret inside', () => {
    const inside = Object.entries(eventSchemas).flatMap(([type, { shape }]) =>
      Object.entries(shape as Record<string, z.ZodType>).flatMap(([name, schema]) =>
        visibleDataOf(type, { [name]: 1 })[name] === undefined
          ? []
          : namesIn(schema).map((inner) => `${type}.${name}.${inner}`),
      ),
    );
    expect(inside.length).toBeGreaterThan(80);
    expect(inside.filter((name) => secretName.test(name))).toEqual([]);
  });

  it('are none whose name says that it is a secret, or the hash of one', () => {
    const visible = Object.entries(auditRules).flatMap(([type, { fields }]) =>
      Object.entries(fields).flatMap(([name, isVisible]) => (isVisible ? [`${type}.${name}`] : [])),
    );
    expect(visible.length).toBeGreaterThan(80);
    expect(visible.filter((name) => secretName.test(name))).toEqual([]);
  });

  it('are all that is left of the data', () => {
    expect(visibleDataOf('ApiKeyIssued', { name: 'shop', hash: 'x', later: 'y' })).toEqual({ name: 'shop' });
    expect(visibleDataOf('constructor', { name: 'shop' })).toEqual({});
  });
});

it('Every event of an account is of one kind', () => {
  const ofKinds = eventKinds.flatMap(eventTypesOf);
  const ofInstallation = Object.keys(auditRules).filter((type) => !ofKinds.includes(type as never));
  expect(ofInstallation).toEqual(['InstallationCreated', 'SecretRotated', 'BlobStoreRegistered', 'BlobStoreReplaced']);
  expect(new Set(ofKinds).size).toBe(ofKinds.length);
});

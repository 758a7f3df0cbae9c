import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashSecret, secretFormatError, newSecret, visiblePrefix } from './secret.ts';

test('A new key is well-formed, has its type, and is unique', () => {
  const keys = Array.from({ length: 200 }, () => newSecret('live'));
  expect(new Set(keys).size).toBe(200);
  for (const key of keys) {
    expect(key).toMatch(/^svc_live_[0-9A-Za-z]{49}$/);
    expect(secretFormatError(key)).toBeNull();
  }
  expect(newSecret('test')).toMatch(/^svc_test_/);
});

test('The checksum detects one wrong character', () => {
  fc.assert(
    fc.property(fc.integer({ min: 9, max: 57 }), fc.constantFrom(...'abcXYZ019'), (at, character) => {
      const key = newSecret('test');
      fc.pre(key[at] !== character);
      expect(secretFormatError(key.slice(0, at) + character + key.slice(at + 1))).toMatch(/checksum/);
    }),
  );
});

test('A key with a wrong length or prefix gives an error message', () => {
  expect(secretFormatError('sk_live_123')).toMatch(/starts with/);
  expect(secretFormatError('svc_live_123')).toMatch(/characters/);
  expect(secretFormatError(`${newSecret('live')} `)).toMatch(/characters/);
});

test('The visible prefix and the hash do not reveal a key', () => {
  const key = newSecret('live');
  expect(visiblePrefix(key)).toHaveLength(15);
  expect(hashSecret(key)).toMatch(/^[0-9a-f]{64}$/);
});

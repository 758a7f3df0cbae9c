import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decrypt, encrypt, DecryptionError } from './encryption.ts';

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const secrets = { current: first, previous: [] };

describe('An encrypted text', () => {
  test('can be decrypted by its owner, and differs at every encryption', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1 }), (text, owner) => {
        const [encrypted, other] = [encrypt(secrets, owner, text), encrypt(secrets, owner, text)];
        expect(decrypt(secrets, owner, encrypted)).toBe(text);
        expect(Buffer.from(encrypted).equals(Buffer.from(other))).toBe(false);
      }),
    );
  });

  test('of one owner cannot be decrypted by another', () => {
    expect(() => decrypt(secrets, 'B', encrypt(secrets, 'A', 'text'))).toThrow(DecryptionError);
  });

  test('cannot be decrypted when a bit or its length has changed', () => {
    const encrypted = Buffer.from(encrypt(secrets, 'A', 'a secret text'));
    fc.assert(
      fc.property(fc.nat(encrypted.length - 1), fc.nat(7), (at, bit) => {
        const changed = Buffer.from(encrypted);
        changed[at]! ^= 1 << bit;
        expect(() => decrypt(secrets, 'A', changed)).toThrow(DecryptionError);
        expect(() => decrypt(secrets, 'A', encrypted.subarray(0, at))).toThrow(DecryptionError);
      }),
    );
  });

  test('can be decrypted after the installation secret changed, while the previous secret is configured', () => {
    const encrypted = encrypt(secrets, 'A', 'text');
    expect(decrypt({ current: second, previous: [first] }, 'A', encrypted)).toBe('text');
    expect(() => decrypt({ current: second, previous: [] }, 'A', encrypted)).toThrow(
      'an installation secret that is no longer configured',
    );
  });
});

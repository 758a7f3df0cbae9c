import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decrypt, encrypt, DecryptionError } from './encryption.ts';

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const secrets = { current: first, previous: [] };

describe('A sealed box', () => {
  test('gives back any text to its owner, and is another one every time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1 }), (text, owner) => {
        const [box, other] = [encrypt(secrets, owner, text), encrypt(secrets, owner, text)];
        expect(decrypt(secrets, owner, box)).toBe(text);
        expect(Buffer.from(box).equals(Buffer.from(other))).toBe(false);
      }),
    );
  });

  test('of one owner does not open for another', () => {
    expect(() => decrypt(secrets, 'B', encrypt(secrets, 'A', 'text'))).toThrow(DecryptionError);
  });

  test('does not open once any bit of it, or its length, is another', () => {
    const box = Buffer.from(encrypt(secrets, 'A', 'a secret text'));
    fc.assert(
      fc.property(fc.nat(box.length - 1), fc.nat(7), (at, bit) => {
        const changed = Buffer.from(box);
        changed[at]! ^= 1 << bit;
        expect(() => decrypt(secrets, 'A', changed)).toThrow(DecryptionError);
        expect(() => decrypt(secrets, 'A', box.subarray(0, at))).toThrow(DecryptionError);
      }),
    );
  });

  test('opens after a new secret of the installation as long as the former one is configured', () => {
    const box = encrypt(secrets, 'A', 'text');
    expect(decrypt({ current: second, previous: [first] }, 'A', box)).toBe('text');
    expect(() => decrypt({ current: second, previous: [] }, 'A', box)).toThrow(
      'a secret of the installation that is not configured any more',
    );
  });
});

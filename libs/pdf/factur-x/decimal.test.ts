import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText, hasTooManyDigits, maxDigits, one, readDecimal, roundToCents } from './decimal.ts';

const cent = one / 100n;
const digits = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength });
const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 });

describe('The value of an xs:decimal', () => {
  it('is exact for every way to write it', () => {
    const written = fc
      .record({
        sign: fc.constantFrom('', '+', '-'),
        zeros: fc.nat(50),
        whole: digits(20),
        fraction: fc.option(digits(20)),
        zerosAtEnd: fc.nat(50),
        before: space,
        after: space,
      })
      .filter(({ zeros, whole, fraction }) => zeros + whole.length + (fraction ?? '').length > 0);
    fc.assert(
      fc.property(written, ({ sign, zeros, whole, fraction, zerosAtEnd, before, after }) => {
        const end = fraction === null ? '' : `.${fraction}${'0'.repeat(zerosAtEnd)}`;
        const scaled = BigInt(`0${whole}${fraction ?? ''}`) * 10n ** BigInt(maxDigits - (fraction ?? '').length);
        const value = readDecimal(before + sign + '0'.repeat(zeros) + whole + end + after);
        expect(value).toBe(sign === '-' ? -scaled : scaled);
        expect(readDecimal(decimalText(value))).toBe(value);
      }),
    );
  });

  it.each([
    ['.50', '0.50'],
    ['5.', '5.00'],
    ['+5', '5.00'],
    ['-.5', '-0.50'],
    ['-0', '0.00'],
    ['007', '7.00'],
    ['5000.00001', '5000.00001'],
  ])('%s is %s', (text, exact) => expect(decimalText(readDecimal(text))).toBe(exact));

  it.each(['', '.', '+', '-.', '1e3', '1,5', '1 5', '--1', 'INF'])('is not read from "%s"', (text) => {
    expect(() => readDecimal(text)).toThrow(RangeError);
  });

  it('is not read from a number with too many digits, but zeros at the ends are none', () => {
    expect(hasTooManyDigits(`1.${'0'.repeat(maxDigits - 1)}1`)).toBe(true);
    expect(() => readDecimal('1'.repeat(maxDigits + 1))).toThrow(RangeError);
    expect(readDecimal(`${'0'.repeat(1e6)}1.${'0'.repeat(1e6)}`)).toBe(one);
    expect(hasTooManyDigits(`1.${'0'.repeat(1e6)}1`)).toBe(true);
  });
});

it('Rounding to cents gives the nearest, and of two the higher', () => {
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 45n), 10n ** 45n), (units) => {
      const rounded = roundToCents(units);
      expect(rounded % cent).toBe(0n);
      expect(rounded - units).toBeGreaterThan(-cent / 2n);
      expect(rounded - units).toBeLessThanOrEqual(cent / 2n);
    }),
  );
});

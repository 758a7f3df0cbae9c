import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyFields, truncateText, list, text } from './bounded.ts';

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
/** Texts of all kinds and lengths, including those that need the most bytes in JSON. */
const anyText = fc
  .tuple(
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a', 'é', '字', '😀', '\u0000', '"', '\ud800', ' ')),
    fc.integer({ min: 0, max: 3000 }),
  )
  .map(([unit, times]) => unit.repeat(times).slice(0, 100_000));

describe('A text in an event', () => {
  it('is truncated to its maximum number of bytes', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 5, max: 5000 }), (whole, most) => {
        const kept = truncateText(whole, most);
        expect(bytesOf(kept)).toBeLessThanOrEqual(most);
        if (kept !== whole)
          expect([bytesOf(whole) > most, whole.startsWith(kept.slice(0, -1)), kept.at(-1)]).toEqual([true, true, '…']);
      }),
    );
  });

  it('is not truncated within a character', () => {
    expect(text(12).parse('😀😀😀😀')).toBe('😀…');
  });

  it('is not changed if it is short enough', () => {
    expect(text(8).parse('éé\n')).toBe('éé\n');
    expect(text(7).parse('éé\n')).toBe('é…');
  });
});

it('A list in an event is truncated to its maximum number of items', () => {
  expect(list(text(5), 2).parse(['abc', 'abcd', 'c'])).toEqual(['abc', '…']);
});

describe('Fields of any kind in an event', () => {
  it('are truncated to their maximum number of bytes', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        anyText,
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value')),
        fc.dictionary(anyText, tie('value')),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(anyText, value), fc.integer({ min: 500, max: 20_000 }), (fields, most) => {
        expect(bytesOf(anyFields(most).parse(fields))).toBeLessThanOrEqual(most);
      }),
    );
  });

  it('are truncated if they are very many or very deep', () => {
    const many = { numbers: Array.from({ length: 100_000 }, () => -1.5e-300), texts: 'x'.repeat(1e6) };
    const deep = JSON.parse(`${'{"a":['.repeat(3000)}${']}'.repeat(3000)}`) as Record<string, unknown>;
    for (const fields of [many, deep]) expect(bytesOf(anyFields(2000).parse(fields))).toBeLessThanOrEqual(2000);
  });

  it('are not changed if they are small enough', () => {
    const fields = { line: 3, details: { reason: 'too large', limit: 100, list: ['a', null, true] } };
    expect(anyFields(2000).parse(fields)).toEqual(fields);
  });
});

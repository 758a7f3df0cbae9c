import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { type JsonValue, parseJson } from './parse.ts';

const apiErrorFieldsOf = (text: string) => {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof ApiError) return error.fields;
  }
  throw new Error('no ApiError was thrown');
};

const plain = (value: JsonValue): unknown => {
  if (value.type === 'object') return Object.fromEntries(value.entries.map(([key, entry]) => [key, plain(entry)]));
  if (value.type === 'array') return value.items.map(plain);
  return value.type === 'string' ? value.text : JSON.parse(value.text);
};

const accepted = (parse: (text: string) => unknown, text: string): boolean => {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('JSON', () => {
  test('is parsed like JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(plain(parseJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('is accepted exactly if JSON.parse accepts it', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"\\u00e9"',
      '"\\x"',
      '1',
      '-0.5e3',
      '01',
      '.5',
      'true',
      'null',
      'nul',
      ' ',
      '\n',
      '//x',
      '"',
      "'a'",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        expect(accepted(parseJson, text)).toBe(accepted(JSON.parse, text));
      }),
      { numRuns: 2000 },
    );
  });

  test('keeps repeated keys and the digits of numbers', () => {
    expect(parseJson('{"a":12345678901234567890,"a":1.50}')).toEqual({
      type: 'object',
      entries: [
        ['a', { type: 'number', text: '12345678901234567890' }],
        ['a', { type: 'number', text: '1.50' }],
      ],
    });
  });

  test('keeps a key called __proto__ like any other', () => {
    expect(parseJson('{"__proto__":1}')).toEqual({
      type: 'object',
      entries: [['__proto__', { type: 'number', text: '1' }]],
    });
  });

  test.each([
    ['a missing value', '{"a":1,\n"b":}', 2],
    ['a comma too many', '[1,\n2,\n]', 3],
    ['a comment', '[1]\n// x', 2],
    ['something after its end', '{}\n\n{}', 3],
    ['an open string', '["a', 1],
    ['nothing in it', '  ', 1],
  ])('with %s is refused with the line', (_, text, line) => {
    expect(apiErrorFieldsOf(text)).toMatchObject({ name: 'conversion_failed', extra: { line } });
  });

  test('with too many values is refused with the limit', () => {
    expect(apiErrorFieldsOf(`[${'1,'.repeat(1_500_000)}1]`)).toMatchObject({
      name: 'conversion_failed',
      extra: { details: { limit: 1_500_000 } },
    });
  });

  test.each(['['.repeat(100_000) + ']'.repeat(100_000), `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`])(
    'nested a hundred thousand levels deep is refused with the limit',
    (text) => {
      expect(apiErrorFieldsOf(text)).toMatchObject({ name: 'conversion_failed', extra: { details: { limit: 256 } } });
    },
  );
});

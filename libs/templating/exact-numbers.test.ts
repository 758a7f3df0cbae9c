import { describe, expect, it } from 'vitest';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import { expanded, type ExpandOptions, expansionError } from './testing/expand-template.ts';

const long = '12345678901234567890';
const expandedFrom = (content: string, json: string, options: ExpandOptions = {}): string =>
  expanded(content, parseExactJson(json), options);

describe('A number with more digits than JavaScript keeps', () => {
  it.each([
    ['{{n}}', long],
    ['{{{json this}}}', `{"n":${long}}`],
    ['{{formatNumber n}}', '12,345,678,901,234,567,890'],
    ['{{formatCurrency n "EUR"}}', '€12,345,678,901,234,567,890.00'],
    ['{{uppercase n}}', long],
    ['{{truncate n 3}}', '123…'],
    ['{{#if n}}yes{{/if}}', 'yes'],
    ['{{#with n}}{{this}}{{/with}}', long],
    ['{{#if n.rawJSON}}{{else}}no field{{/if}}', 'no field'],
  ])('is exact in %s', (content, text) => {
    expect(expandedFrom(content, `{"n":${long}}`)).toBe(text);
  });

  it.each(['-9007199254740993', '0.12345678901234567890', '1234567890123456.75', '1e400', '1000000000000000000000'])(
    'is written as %s',
    (n) => {
      expect(expandedFrom('{{n}} {{json n}} {{list}}', `{"n":${n},"list":[${n},null,2]}`)).toBe(`${n} ${n} ${n},,2`);
    },
  );

  it('is the name of a field', () => {
    expect(expandedFrom('{{lookup names id}}', `{"names":{"${long}":"Ada"},"id":${long}}`)).toBe('Ada');
  });

  it('is a number for a declared variable, and for messages', () => {
    const data = parseExactJson(`{"n":${long}}`);
    expect(expanded('{{n}}', data, { variables: [{ name: 'n', type: 'number', required: true }] })).toBe(long);
    const variables = [{ name: 'n', type: 'object' as const, required: true }];
    expect(expansionError('{{n}}', data, { variables }).message).toContain(`"n" is ${long};`);
    expect(expansionError('{{formatNumber n}}', parseExactJson('{"n":1e400}')).message).toContain('1e400');
  });
});

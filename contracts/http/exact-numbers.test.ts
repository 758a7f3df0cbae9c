import { describe, expect, it } from 'vitest';
import { hasExactNumber, parseExactJson } from './exact-numbers.ts';

const long = '12345678901234567890';

it.each(['1.50', '1e3', '0.0000000000000000000', '12345.678', '"12345678901234567890"', '0.30000000000000004'])(
  '%s is what JSON.parse gives',
  (text) => {
    expect(parseExactJson(`[${text}]`)).toEqual(JSON.parse(`[${text}]`));
  },
);

it.each([long, `-${long}`, ' 1e400'])('%s alone is what JSON.parse gives, and no object', (text) => {
  expect(parseExactJson(text)).toBe(JSON.parse(text));
});

describe('A browser without the source texts of JSON', () => {
  it('rounds long numbers', () => {
    const json = JSON as { rawJSON?: unknown; isRawJSON?: unknown };
    const { rawJSON, isRawJSON } = json;
    try {
      delete json.rawJSON;
      delete json.isRawJSON;
      expect(parseExactJson(`{"n": ${long}}`)).toEqual({ n: Number(long) });
    } finally {
      Object.assign(json, { rawJSON, isRawJSON });
    }
  });
});

it.each([
  [`{"a": [{"n": ${long}}]}`, true],
  [`["IBAN ${long}", 1, null, {"${long}": 0.5}]`, false],
])('In %s, a number with too many digits is found: %s', (text, isFound) => {
  expect(hasExactNumber(parseExactJson(text))).toBe(isFound);
});

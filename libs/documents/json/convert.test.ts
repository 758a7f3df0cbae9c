import { describe, expect, test } from 'vitest';
import { convertJson } from './convert.ts';

const bodyOf = (text: string) => /<main[^>]*>([^]*)<\/main>/.exec(convertJson(text).html)?.[1] ?? '';
const textOf = (text: string) =>
  bodyOf(text)
    .replace(/<[^>]*>/g, '')
    .trim();

describe('JSON as a document', () => {
  test('is a table for an array of flat objects, with a column for every key', () => {
    const body = bodyOf('[{"a":1,"b":"x"},{"b":null,"c":true}]');
    expect(body).toContain('<th class="n">a</th><th>b</th><th>c</th>');
    expect(body).toContain('<td class="n">1</td><td>x</td><td></td>');
    expect(body).toContain('<td class="n"></td><td><span class="null">null</span></td><td>true</td>');
  });

  test.each(['{"a":1}', '[1,2]', '[]', '[{"a":1},2]', '[{"a":1,"a":2}]', '[{"a":1},{"b":1},{"c":1},{"d":1}]'])(
    'is a tree for %s',
    (text) => {
      expect(bodyOf(text)).not.toContain('<table');
      expect(bodyOf(text)).toContain('class="tree"');
    },
  );

  test('shows flat arrays within a tree as tables', () => {
    expect(bodyOf('{"items":[{"a":1},{"a":2}]}')).toContain('<table');
  });

  test('shows repeated keys, numbers as written, empty values, and markup as text', () => {
    const text = textOf('{"a":1.50,"a":"<b>","c":[],"d":{},"e":"","f":12345678901234567890}');
    for (const shown of ['1.50', '&lt;b&gt;', 'empty list', '""', '12345678901234567890'])
      expect(text).toContain(shown);
  });

  test('is refused with the limit if it has too many lines', () => {
    expect(() => convertJson(`[${'1,'.repeat(200_000)}1]`)).toThrow(/more than 200000 values/);
  });

  test('stays readable if it is nested deeply', () => {
    expect(textOf(`${'['.repeat(100)}1${']'.repeat(100)}`)).toContain('level 99');
  });
});

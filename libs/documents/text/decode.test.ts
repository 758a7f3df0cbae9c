import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import type { TextInputType } from '../input.ts';
import { decodeText } from './decode.ts';

const decode = (inputType: TextInputType, text: string) => decodeText(inputType, Buffer.from(text));
const base64 = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding).toString('base64');
const apiErrorFieldsOf = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error.fields;
  }
  throw new Error('no ApiError was thrown');
};

describe('text in data', () => {
  test('is kept unchanged', () => {
    expect(decode('html', '<p>Grüße</p>')).toBe('<p>Grüße</p>');
  });

  test('loses its byte order mark', () => {
    expect(decode('csv', '\ufeffa,b')).toBe('a,b');
  });

  test('is decoded if a data: prefix declares base64, with or without line breaks', () => {
    const encoded = base64('# Heading and some more words').replace(/.{10}/g, '$&\n');
    expect(decode('markdown', `data:text/markdown;charset=utf-8;base64,${encoded}`)).toBe(
      '# Heading and some more words',
    );
  });

  test('is refused if a data: prefix declares base64 but the data is not base64', () => {
    expect(apiErrorFieldsOf(() => decode('json', 'data:application/json;base64,{"a":1}'))).toMatchObject({
      name: 'conversion_failed',
      extra: { details: 'invalid base64' },
    });
  });

  test('is decoded without a prefix if it is canonical base64 of its input type', () => {
    expect(decode('html', base64('<p>Hello, world</p>'))).toBe('<p>Hello, world</p>');
    expect(decode('json', base64('{"name":"value"}'))).toBe('{"name":"value"}');
    expect(decode('csv', base64('name,value\n1,2\n'))).toBe('name,value\n1,2\n');
    // 16 characters, with padding.
    expect(decode('json', base64('  {"a": 1}\n'))).toBe('  {"a": 1}\n');
    expect(decode('csv', base64('a,b\n1,2\n3,'))).toBe('a,b\n1,2\n3,');
  });

  test.each<[string, TextInputType, string]>([
    ['shorter than 16 characters', 'markdown', base64('one word')],
    ['not padded', 'markdown', base64('a text of this length').concat(base64('x')).replace(/=+$/, '')],
    ['not canonical in its last bits', 'markdown', 'YSB0ZXh0IG9mIHNvbWUgbGVuZB=='],
    ['broken into lines', 'markdown', base64('a text of some length, in lines').replace(/.{8}/, '$&\n')],
    ['base64 of something that is not UTF-8', 'markdown', 'WordsWithoutAnySpaceInThemAtAllX'],
    ['text with control characters in base64', 'markdown', base64('a text with \u0007 a control character')],
    ['base64 of HTML that does not begin with a tag', 'html', base64('no tag here, only text')],
    ['base64 of text that is not JSON', 'json', base64('no JSON here, only text')],
  ])('is kept unchanged if it is %s', (_, inputType, text) => {
    expect(decode(inputType, text)).toBe(text);
  });

  test('is unchanged after declared base64', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[\0\ufeff\ud800-\udfff]/.test(text)),
        (text) => {
          expect(decode('markdown', `data:;base64,${base64(text)}`)).toBe(text);
        },
      ),
    );
  });

  test('with a NUL character is refused with the line', () => {
    expect(apiErrorFieldsOf(() => decode('markdown', 'one\r\ntwo\n\0'))).toMatchObject({
      name: 'invalid_markdown',
      extra: { line: 3 },
    });
  });

  test('that is not UTF-8 is refused with the line', () => {
    expect(apiErrorFieldsOf(() => decodeText('html', Buffer.from('<p>\n\nGr\xfc\xdfe', 'latin1')))).toMatchObject({
      name: 'invalid_html',
      extra: { line: 3, details: 'not UTF-8' },
    });
  });

  test.each([
    ['little-endian with a byte order mark', Buffer.from('\ufeffa,b\n1,2', 'utf16le')],
    ['little-endian without a byte order mark', Buffer.from('a,b\n1,2', 'utf16le')],
    ['big-endian', Buffer.from('\ufeffa,b\n1,2', 'utf16le').swap16()],
    ['in base64', Buffer.from(base64('\ufeffname,value\n1,2', 'utf16le'))],
    ['ASCII with a NUL after each character', Buffer.from('a\0,\0b\0\n\0')],
  ])('in UTF-16 is refused with that reason: %s', (_, data) => {
    expect(apiErrorFieldsOf(() => decodeText('csv', data))).toMatchObject({
      name: 'conversion_failed',
      extra: { details: 'UTF-16 text' },
    });
  });
});

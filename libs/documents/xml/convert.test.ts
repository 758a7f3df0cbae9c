import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { convertXml } from './convert.ts';
import { parseXml } from './parse.ts';

const textOf = (xml: string) =>
  (/<main[^>]*>([^]*)<\/main>/.exec(convertXml(xml).html)?.[1] ?? '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .trim();
const apiErrorFieldsOf = (xml: string) => {
  try {
    convertXml(xml);
  } catch (error) {
    if (error instanceof ApiError) return error.fields;
  }
  throw new Error('no ApiError was thrown');
};
const escaped = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

describe('XML', () => {
  test('is shown completely, with elements of plain text on one line', () => {
    const text = textOf('<?xml version="1.0"?><!--c--><?p q?><a b="1&amp;2"><c>text</c><d/><e></e><![CDATA[x<y]]></a>');
    expect(text.split('\n').filter((line) => line !== '')).toEqual([
      '&lt;?xml version="1.0"?&gt;',
      '&lt;!--c--&gt;',
      '&lt;?p q?&gt;',
      '&lt;a b="1&amp;amp;2"&gt;',
      '&lt;c&gt;text&lt;/c&gt;',
      '&lt;d/&gt;',
      '&lt;e&gt;&lt;/e&gt;',
      '&lt;![CDATA[x&lt;y]]&gt;',
      '&lt;/a&gt;',
    ]);
  });

  test('never becomes markup of the page', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (content) => {
        expect(textOf(`<a b="${escaped(content)}">${escaped(content)}</a>`)).not.toMatch(/[<>]/);
      }),
    );
  });

  test('is shown as XML that means the same', () => {
    const unescaped = (html: string) => html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    const contentOf = (xml: string) =>
      parseXml(xml).map((token) => (token.type === 'text' ? { ...token, text: token.text.trim() } : token));
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (content) => {
        const xml = `<a b="${escaped(content)}"><!-- c -->x${escaped(content)}</a>`;
        expect(contentOf(unescaped(textOf(xml)).replaceAll('\n', ''))).toEqual(contentOf(xml));
      }),
      { examples: [['a &lt;b&gt; "c" ]]> <']] },
    );
  });

  test.each([
    ['a tag closed in the wrong order', '<a>\n<b></a>', 2],
    ['an entity that XML does not know', '<a>\n\n&nbsp;</a>', 3],
    ['two roots', '<a/>\n<b/>', 2],
    ['an attribute twice', '<a b="1"\nb="2"/>', 2],
    ['no end', '<a>\n', 2],
    ['nothing in it', '', 1],
  ])('with %s is refused with the line', (_, xml, line) => {
    expect(apiErrorFieldsOf(xml)).toMatchObject({ name: 'conversion_failed', extra: { line } });
  });

  test.each([
    ['in a text', '<a>\n<b>Tom & Jerry</b>\n</a>\n', 2],
    ['in an attribute', '<a b="x&y=1">t</a>', 1],
    ['before a semicolon', '<a>\n<b>Tom & Jerry & Co</b>\n;</a>', 2],
    ['without a name', '<a>\r\n&;</a>', 2],
    ['after others that are allowed', '<!DOCTYPE a SYSTEM "x&y">\n<a><!-- & --><![CDATA[&]]><?p &?>&lt;\n& </a>', 3],
  ])('with "&" %s is refused with its line and what to write', (_, xml, line) => {
    expect(apiErrorFieldsOf(xml)).toMatchObject({
      message: `The XML is malformed on line ${line}: "&" must be written "&amp;".`,
      extra: { line },
    });
  });

  test.each([
    ['<a>\n</b>\n& </a>', 'unexpected close tag'],
    ['<a>\n&nbsp;</a>', 'undefined entity'],
    ['<a>\n<!-- & ', 'unclosed tag'],
  ])('with another mistake is refused for that: %j', (xml, details) => {
    expect(apiErrorFieldsOf(xml).extra).toEqual({ line: 2, details: expect.stringContaining(details) });
  });

  test.each([
    '<!DOCTYPE a [\n<!ENTITY x "y">\n]><a>&x;</a>',
    '<!DOCTYPE a [\n<!ENTITY % x SYSTEM "http://h/x.dtd">\n%x;]><a/>',
    '<!DOCTYPE a [\n<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
  ])('that defines an entity is refused: %s', (xml) => {
    expect(apiErrorFieldsOf(xml)).toMatchObject({
      name: 'conversion_failed',
      extra: { line: 2, details: 'entity definition in the document type' },
    });
  });

  test('may have a document type, which is shown and never fetched', () => {
    expect(textOf('<!DOCTYPE html SYSTEM "http://h/x.dtd"><html/>')).toContain(
      '&lt;!DOCTYPE html SYSTEM "http://h/x.dtd"&gt;',
    );
  });

  test('with too many lines is refused with the limit', () => {
    expect(apiErrorFieldsOf(`<a>${'<b/>'.repeat(200_001)}</a>`)).toMatchObject({
      extra: { details: { limit: 200_000 } },
    });
    expect(apiErrorFieldsOf(`<a>${'<b/>'.repeat(600_001)}</a>`)).toMatchObject({
      extra: { details: { limit: 600_000 } },
    });
  });

  test('nested a hundred thousand levels deep is refused with the limit', () => {
    expect(apiErrorFieldsOf('<a>'.repeat(100_000))).toMatchObject({ extra: { details: { limit: 256 } } });
  });
});

import fc from 'fast-check';
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import { expect, test } from 'vitest';
import { sanitiseHeaderFooter } from './parse.ts';

const read = (source: string) => sanitiseHeaderFooter('header', source, '2026-02-03').html;

test('placeholders become what the browser counts in, with or without spaces', () => {
  expect(read('{{page}}/{{ total }} {{  date }}')).toBe(
    '<div><span class="pageNumber"></span>/<span class="totalPages"></span> 2026-02-03</div>',
  );
});

test.each([
  '<script>x()</script>',
  '<img src=x onerror=x()>',
  '<a href="javascript:x()">a</a>',
  '<a href=" java&#115;cript:x()">a</a>',
  '<svg><script>x()</script></svg>',
  '<iframe src="x"></iframe>',
  '<svg><animate attributeName=href values="javascript:x()"></svg>',
  '<object data=x></object>',
  '<body onload=x()>',
  '<style></style><script>x()</script>',
  '<svg onload=x()>',
  '<template><script>x()</script></template>',
  '<math><mi xlink:href="javascript:x()">',
  '<noscript><script>x()</script></noscript>',
])('nothing of %s can run in a band', (source) => {
  expect(read(source)).not.toMatch(/x\(\)|<iframe|<object|<animate/);
});

const elementsOf = (node: DefaultTreeAdapterTypes.Node): DefaultTreeAdapterTypes.Element[] =>
  'childNodes' in node
    ? node.childNodes.flatMap((child) => [...('tagName' in child ? [child] : []), ...elementsOf(child)])
    : [];

test('no text can bring a script to life when the browser reads the band', () => {
  const piece = fc.constantFrom(
    '<script>',
    '</script>',
    '<style>',
    '</style>',
    '<!--',
    '-->',
    '<svg>',
    '</svg>',
    '<p>',
    '"',
    "'",
    '<textarea>',
    '</textarea>',
    '<title>',
    'onload=x ',
    '<img ',
    '>',
    '<math>',
    '<mtext>',
    '<![CDATA[',
    ']]>',
    '&lt;img src=x onerror=x()&gt;',
    'a{content:"\\3c /style><img src=x onerror=x()>"}',
    'a{content:"<img src=x onerror=x()>"}',
    '<xmp>',
    '</xmp>',
    '<noembed>',
    '<foreignObject>',
    '<select>',
    '<table>',
    '<mglyph>',
    '<annotation-xml encoding="text/html">',
    '<form>',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
      for (const { tagName, attrs } of elementsOf(parseFragment(read(pieces.join(''))))) {
        expect(['script', 'meta']).not.toContain(tagName);
        expect(attrs.filter(({ name }) => name.startsWith('on'))).toEqual([]);
      }
    }),
    { numRuns: 2000 },
  );
});

test('a whole document serves as a band: its styles and the attributes of its body count', () => {
  const html = read(
    '<html><head><style>p{color:red}</style></head><body style="color:blue" class="x"><p>Hi</p></body></html>',
  );
  expect(html).toBe(
    '<style>@scope(.colophon-header){p{color:red}}</style><div style="color:blue" class="x"><p>Hi</p></div>',
  );
});

test('a style sheet keeps its selectors and texts, and has no title', () => {
  const html = read(
    '<style title="x" media="print">div>b{content:"& <i>"}</style><style>@media (1px<=width){a>b{color:red}}</style>',
  );
  expect(html).toBe(
    String.raw`<style media="print">@scope(.colophon-header){div>b{content:"& \3c i>"}}</style><style>@scope(.colophon-header){@media (1px<=width){a>b{color:red}}}</style><div></div>`,
  );
});

test('names that the browser uses itself are told apart from those of the caller', () => {
  expect(read('<style>.title #header{color:red}</style><b class="title x" id="header">My title</b>')).toBe(
    '<style>@scope(.colophon-header){.own-title #own-header{color:red}}</style><div><b class="own-title x" id="own-header">My title</b></div>',
  );
});

test('external pictures are known', () => {
  expect(
    sanitiseHeaderFooter('footer', '<p><img src="https://a.example/b.png"><img src="data:image/png;base64,AA"></p>', '')
      .images,
  ).toEqual(['https://a.example/b.png']);
});

test('a style element within a drawing is left out: written, it would be read as markup', () => {
  const html = read('<svg><style>a{--x:&lt;img src=x onerror=x()&gt;}</style></svg>');
  expect(elementsOf(parseFragment(html)).map(({ tagName }) => tagName)).toEqual(['div', 'svg']);
});

test('an escaped character in a style sheet cannot end it', () => {
  const html = read(
    String.raw`<style>a{content:"\3c /style><img src=x onerror=x()>"} b{background:url("\3c /style>")}</style>`,
  );
  expect(elementsOf(parseFragment(html)).map(({ tagName }) => tagName)).toEqual(['style', 'div']);
});

import fc from 'fast-check';
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import { expect, test } from 'vitest';
import { escapeAttribute, parseHeaderFooter, sanitiseHeaderFooter } from './parse.ts';

const sanitise = (source: string) => sanitiseHeaderFooter('header', source, '2026-02-03').html;

test('placeholders become counter elements, with or without spaces', () => {
  expect(sanitise('{{page}}/{{ total }} {{  date }}')).toBe(
    '<div><span class="pageNumber"></span>/<span class="totalPages"></span> 2026-02-03</div>',
  );
});

test.each([
  '<script>x()</script>',
  '<img src=data:, onerror=x()>',
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
])('nothing in %s can run in a header or footer', (source) => {
  expect(sanitise(source)).not.toMatch(/x\(\)|<iframe|<object|<animate/);
});

const elementsOf = (node: DefaultTreeAdapterTypes.Node): DefaultTreeAdapterTypes.Element[] =>
  'childNodes' in node
    ? node.childNodes.flatMap((child) => [...('tagName' in child ? [child] : []), ...elementsOf(child)])
    : [];

test('no text becomes a script when the browser parses the header or footer', () => {
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
    '&lt;img src=data:, onerror=x()&gt;',
    'a{content:"\\3c /style><img src=data:, onerror=x()>"}',
    'a{content:"<img src=data:, onerror=x()>"}',
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
      for (const { tagName, attrs } of elementsOf(parseFragment(sanitise(pieces.join(''))))) {
        expect(['script', 'meta']).not.toContain(tagName);
        expect(attrs.filter(({ name }) => name.startsWith('on'))).toEqual([]);
      }
    }),
    { numRuns: 2000 },
  );
});

test('a whole document can be a header: its styles and the attributes of its body are used', () => {
  const html = sanitise(
    '<html><head><style>p{color:red}</style></head><body style="color:blue" class="x"><p>Hi</p></body></html>',
  );
  expect(html).toBe(
    '<style>@scope(.colophon-header){p{color:red}}</style><div style="color:blue" class="x"><p>Hi</p></div>',
  );
});

test('a style sheet keeps its selectors and texts, and loses its title', () => {
  const html = sanitise(
    '<style title="x" media="print">div>b{content:"& <i>"}</style><style>@media (1px<=width){a>b{color:red}}</style>',
  );
  expect(html).toBe(
    String.raw`<style media="print">@scope(.colophon-header){div>b{content:"& \3c i>"}}</style>` +
      '<style>@scope(.colophon-header){@media (1px<=width){a>b{color:red}}}</style><div></div>',
  );
});

test('class names and ids of the browser’s template are renamed', () => {
  expect(sanitise('<style>.title #header{color:red}</style><b class="title x" id="header">My title</b>')).toBe(
    '<style>@scope(.colophon-header){.own-title #own-header{color:red}}</style><div>' +
      '<b class="own-title x" id="own-header">My title</b></div>',
  );
});

test('names of elements are removed, because they could hide members of the document', () => {
  expect(sanitise('<img name="body" src="data:,"><form name="head" id="x"></form>')).toBe(
    '<div><img src="data:,"><form id="x"></form></div>',
  );
});

test.each([
  ['HDR\n<!-- rest', 'a comment'],
  ['HDR\n<b', 'a tag'],
  ['HDR\n<style>p{', 'a style element'],
  ['HDR\n<!rest', '"<!", "<?" or "</" without ">"'],
])('a footer that would lose content is refused: %j', (footer_html, inside) => {
  expect(() => parseHeaderFooter({ header_html: null, footer_html }, new Date(0))).toThrow(
    `footer_html ends inside ${inside} that begins on line 2; everything after that would be lost.`,
  );
});

test('external images are listed', () => {
  expect(
    sanitiseHeaderFooter(
      'footer',
      '<p><img src="https://a.example/b.png"><img src="data:image/gif;base64,R0lGODlh"></p>',
      '',
    ).images,
  ).toEqual(['https://a.example/b.png']);
});

test.each([
  ['<img src="https://">', 'https://'],
  ['<img src="http://a b/x.png">', 'http://a b/x.png'],
  ['<svg><image href="https://a.example/b.png"/></svg>', 'https://a.example/b.png'],
  ['<p style="background:url(https://a.example/b.png)">x</p>', 'https://a.example/b.png'],
  ['<style>p{background:url("https://a.example/b.png")}</style><p>x</p>', 'https://a.example/b.png'],
  ['<body style="background:url(https://a.example/b.png)">x', 'https://a.example/b.png'],
])('an image that is not fetched is refused: %s', (header_html, url) => {
  expect(() => parseHeaderFooter({ header_html, footer_html: null }, new Date(0))).toThrow(
    `The image "${url}" in header_html cannot be loaded: `,
  );
});

test('every listed image is the src of an image as it is written', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab/?&#"\'<> \u00a0é%=;'), maxLength: 20 });
  fc.assert(
    fc.property(text, text, (path, candidate) => {
      const [src, srcset] = [`https://a.example/${path}`, `https://b.example/${candidate}`].map(escapeAttribute);
      const source = `<img src="${src}"><img srcset="${srcset}">`;
      const { html, images } = sanitiseHeaderFooter('header', source, '');
      expect(images).toHaveLength(2);
      for (const image of images) expect(html).toContain(`src="${escapeAttribute(image)}"`);
    }),
  );
});

test.each([
  '<img src="data:," srcset="data:, 2x">',
  '<svg><image href="#a"/></svg>',
  '<p style="background:url(data:,)">x</p>',
  '<style>@font-face{font-family:x;src:url(https://a.example/b.woff)}</style>',
])('nothing is refused in %s', (header_html) => {
  expect(parseHeaderFooter({ header_html, footer_html: null }, new Date(0))).toMatchObject([{ images: [] }]);
});

test('an image of a data: URL that no browser can show is refused', () => {
  const header_html = '<p>x <img src="data:image/png;base64,Z2FyYmFnZQ=="></p>';
  expect(() => parseHeaderFooter({ header_html, footer_html: null }, new Date(0))).toThrow(
    'The image "data:image/png;base64,Z2FyYmFnZQ==" in header_html cannot be loaded: its data: URL is not an image',
  );
});

test('a style element within an SVG is removed, because its text would be parsed as markup', () => {
  const html = sanitise('<svg><style>a{--x:&lt;img src=data:, onerror=x()&gt;}</style></svg>');
  expect(elementsOf(parseFragment(html)).map(({ tagName }) => tagName)).toEqual(['div', 'svg']);
});

test.each(['xmp', 'plaintext'])('the text of %s keeps its placeholders and ends with its element', (name) => {
  expect(sanitise(`<${name}>&lt; {{page}}`)).toBe('<div><pre>&amp;lt; <span class="pageNumber"></span></pre></div>');
});

test('a text area, which can have no elements, has no placeholders that are filled in later', () => {
  expect(sanitise('<textarea>{{date}}</textarea>')).toContain('<textarea>2026-02-03</textarea>');
  expect(() =>
    parseHeaderFooter({ header_html: '<textarea>{{page}}</textarea>', footer_html: null }, new Date(0)),
  ).toThrow('header_html has {{page}} in a textarea, where only {{date}} may be.');
});

test('an escaped character in a style sheet cannot end the style element', () => {
  const html = sanitise(
    String.raw`<style>a{content:"\3c /style><img src=data:, onerror=x()>"} b{background:url("data:\3c /style>")}</style>`,
  );
  expect(elementsOf(parseFragment(html)).map(({ tagName }) => tagName)).toEqual(['style', 'div']);
});

const featuresOf = (source: string) =>
  parseHeaderFooter({ header_html: null, footer_html: source }, new Date(0)).flatMap(({ ignored }) =>
    ignored.map(({ feature, reason }) => [feature, reason] as const),
  );

test.each([
  [
    '<span class="pageNumber"></span> of <span class="a totalPages"> </span>',
    ['class="pageNumber"', 'class="totalPages"'],
  ],
  ['<html><head><script>subst()</script><link rel="stylesheet" href="a.css"></head><body>x', ['link', 'script']],
  [
    '<style>@import "a.css";.p::after{content:counter(page)}</style><b class=p>',
    ['@import', 'counter(page) outside of @page'],
  ],
  ['<iframe src="a.html"></iframe><span class="topage"></span>', ['class="topage"', 'iframe']],
])('%s has what no footer prints', (source, features) => {
  expect(
    featuresOf(source)
      .map(([feature]) => feature)
      .toSorted(),
  ).toEqual(features.map((feature) => `${feature} in footer_html`).toSorted());
});

test('what a footer prints is not reported', () => {
  expect(featuresOf('<span class="totalPages">{{total}}</span><b class="pageNumber"><i></i></b>')).toEqual([]);
  expect(featuresOf('<style>.p::before{content:"No."}</style><link rel="icon" href="a.ico">{{page}}')).toEqual([]);
  expect(
    featuresOf('<style>/* @import */.p::after{content:counter(page)}</style><b class=p style="counter-reset:page 3">'),
  ).toEqual([]);
  expect(featuresOf('<i class="pageNumber"></i>')).toEqual([
    ['class="pageNumber" in footer_html', 'Write {{page}} in its place.'],
  ]);
});

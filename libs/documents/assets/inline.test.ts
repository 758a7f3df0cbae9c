import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from '../html/classify.ts';
import { encodeBundle } from './bundle.ts';
import { type AssetInliner, createAssetInliner } from './inline.ts';

const gif = Buffer.from('GIF89a');
const gifUrl =
  `data:application/octet-stream;base64,`.replace('application/octet-stream', 'image/gif') + gif.toString('base64');
const inlinerOf = (assets: Record<string, string | Uint8Array>): AssetInliner =>
  createAssetInliner(
    encodeBundle(
      Object.entries(assets).map(([name, content]) => ({
        name,
        type: null,
        bytes: new Uint8Array(Buffer.from(content)),
      })),
    ),
  );
const inlined = (html: string, assets: Record<string, string | Uint8Array> = { 'a.gif': gif }): string => {
  const inliner = inlinerOf(assets);
  return inliner.complete(inliner.inline(html));
};

describe('HTML', () => {
  it('without relative URLs stays as it is', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(
            '<p',
            '>',
            ' style="',
            '"',
            "'",
            '=',
            'a',
            '</p>',
            '<style>',
            '</style>',
            '\r\n',
            '&amp;',
            '<!--',
            '-->',
            '<svg>',
            'color:red',
          ),
        }),
        (html) => {
          expect(inlined(html)).toBe(html);
        },
      ),
    );
  });

  it.each([
    ['<IMG SRC=a.gif alt=x>', `<IMG src="${gifUrl}" alt=x>`],
    ['<constructor src=a.gif><img src=a.gif>', `<constructor src=a.gif><img src="${gifUrl}">`],
    [
      "<p>\r\n\u{1f600}é<img\nalt='&amp;' src = 'a.gif' src=b.gif/>",
      `<p>\r\n\u{1f600}é<img\nalt='&amp;' src="${gifUrl}"/>`.replace('"/>', '" src=b.gif/>'),
    ],
    ['<img srcset="a.gif, b.gif 2x,a.gif 3x">', `<img srcset="${gifUrl}, ${gifUrl} 3x">`],
    ['<img srcset="https://h/b.gif 1x, a.gif 2x">', `<img srcset="https://h/b.gif 1x, ${gifUrl} 2x">`],
    ['<p style="background:url(&quot;a.gif&quot;)">', `<p style="background:url(&quot;${gifUrl}&quot;)">`],
    ['<b style="x:url(a.gif)"><p>1</b>2', `<b style="x:url(&quot;${gifUrl}&quot;)"><p>1</b>2`],
    ['<path FILL="url(a.gif#g) red">', `<path fill="url(&quot;${gifUrl}#g&quot;) red">`],
    ['<svg><style>a{b:url(a.gif)}</style></svg>', `<svg><style>a{b:url("${gifUrl}")}</style></svg>`],
    [
      '<textarea><img src=a.gif></textarea><!-- <img src=a.gif> -->',
      '<textarea><img src=a.gif></textarea><!-- <img src=a.gif> -->',
    ],
    [
      '<a href="a.gif" title="url(a.gif)">x</a><iframe src="a.gif"></iframe>',
      '<a href="a.gif" title="url(a.gif)">x</a><iframe src="a.gif"></iframe>',
    ],
    [
      '<img src="https://h/a.gif"><img src="//h/a.gif"><img src="data:,"><img src="#a">',
      '<img src="https://h/a.gif"><img src="//h/a.gif"><img src="data:,"><img src="#a">',
    ],
    ['<img src="a.gif"', '<img src="a.gif"'],
  ])('%j has its assets', (html, expected) => {
    expect(inlined(html)).toBe(expected);
  });

  it('has linked style sheets on one line, with their attributes, and they cannot end early', () => {
    const css = '/* </style><script>1</script> */\na::after { content: "</STYLE>" }';
    const html = inlined('<link rel="Stylesheet" media="print" href="a.css" onload="x()"><p>', { 'a.css': css });
    expect(html).toBe(String.raw`<style media="print">/**/ a::after { content: "<\/STYLE>" }</style><p>`);
    expect(classify(html).classification.scripts).toBe(false);
  });

  it.each(['alternate stylesheet', 'icon', 'preload'])('keeps a link with rel=%s', (rel) => {
    const html = `<link rel="${rel}" href="a.css">`;
    expect(inlined(html, { 'a.css': 'a{}' })).toBe(html);
  });

  it('has no placeholder of an asset in the end, for any assets and documents', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 20 }), (names) => {
        const html = names.map((name) => `<img src="${name}.gif">`).join('');
        const expected = names.map(
          (name) => `<img src="data:image/gif;base64,${Buffer.from(`GIF89a${name}`).toString('base64')}">`,
        );
        const assets = { 'a.gif': 'GIF89aa', 'b.gif': 'GIF89ab', 'c.gif': 'GIF89ac' };
        expect(inlined(html, assets)).toBe(expected.join(''));
      }),
    );
  });
});

it('Texts that make patterns slow are read in linear time', () => {
  const spaces = ' '.repeat(300_000);
  expect(inlined(`<img src="a${spaces}b">`)).toContain('a  ');
  expect(() => inlined('<img src=a.svg>', { 'a.svg': `${'<!---->'.repeat(2000)}x` })).toThrow('not an image');
  expect(() => inlined('<img src=a.svg>', { 'a.svg': '<!doctype svg ['.repeat(1000) })).toThrow('not an image');
});

it.each([
  '<svg>',
  '\ufeff<?xml version="1.0"?>\n<!-- <p> -->\n<svg:svg xmlns:svg="http://www.w3.org/2000/svg">',
  '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "a.dtd" [ <!ENTITY a "b"> <!ENTITY c "d"> ]>\n<svg/>',
])('%j is an SVG image', (svg) => {
  expect(inlined('<img src=a.svg>', { 'a.svg': svg })).toContain('data:image/svg+xml;base64,');
});

it('Assets that are used, missing or not used are reported', () => {
  const inliner = inlinerOf({ 'a.css': 'b{c:url(d.gif)url(e/a.gif)}', 'a.gif': gif, 'b.gif': 'GIF89ab' });
  inliner.inline('<link rel=stylesheet href=a.css>');
  expect(inliner.use()).toMatchObject({ missing: [{ url: 'd.gif' }], unused: ['b.gif'] });
});

it.each(['<base href="https://h/">', '<base/href="https://h/">', '<p>x<BASE target=_top href=https://h/a/>'])(
  'With a base URL, relative URLs without an asset are left to the browser: %s',
  (base) => {
    const inliner = inlinerOf({ 'a.gif': gif });
    const html = `${base}<img srcset="b.gif"><style>a{b:url(c.gif)}</style>`;
    expect(inliner.complete(inliner.inline(html))).toBe(html);
    expect(inliner.use().missing).toEqual([]);
  },
);

it('A relative base element names the folder of all relative URLs', () => {
  const inliner = inlinerOf({ 'img/a.gif': gif, 'a.gif': 'GIF89b', 'img/a.css': 'b{c:url(a.gif)}' });
  const html = '<base href="img/?x"><img src=a.gif><link rel=stylesheet href=a.css><b style="c:url(no.gif)">';
  expect(inliner.complete(inliner.inline(html))).toContain(`<img src="${gifUrl}"><style>b{c:url("${gifUrl}")}`);
  expect(inliner.use()).toMatchObject({ missing: [{ url: 'no.gif' }], unused: ['a.gif'] });
});

it.each<[string, string | Buffer]>([
  ['UTF-8', '\ufeffa{content:"é"}'],
  ['the named encoding', Buffer.from('@charset "windows-1252";a{content:"é"}', 'latin1')],
  ['UTF-16', Buffer.from('\ufeffa{content:"é"}', 'utf16le')],
  ['UTF-8, if the name cannot be right', '@charset "utf-16";a{content:"é"}'],
  ['UTF-8, if the name is not known', '@charset "none";a{content:"é"}'],
])('A style sheet is read in %s', (_, css) => {
  expect(inlined('<link rel=stylesheet href=a.css>', { 'a.css': css })).toContain('content:"é"');
});

it.each([
  '<base target=_blank>',
  '<base href=/>',
  '<!-- <base href="https://h/"> -->',
  '<title><base href="https://h/"></title>',
])('Without a base URL, relative URLs without an asset are reported: %s', (start) => {
  const inliner = inlinerOf({ 'a.gif': gif });
  const html = inliner.inline(`${start}<link rel=stylesheet href=c.css><img src=a.gif srcset="b.gif 2x">`);
  expect(html).toContain('srcset=""');
  expect(inliner.use().missing).toMatchObject([{ url: 'c.css' }]);
});

it('Other formats of a font that is an asset are not reported as missing', () => {
  const inliner = inlinerOf({ 'a.woff2': 'wOF2' });
  const face = (name: string) => `@font-face{src:url(${name}.eot);src:url("${name}.eot?#iefix"),url(${name}.woff2)}`;
  inliner.inline(`<style>${face('a')}${face('b')}p{background:url(c.gif)}</style>`);
  const names = inliner.use().missing.map(({ url }) => url);
  expect(names).toEqual(['b.eot', 'b.eot?#iefix', 'b.woff2', 'c.gif']);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CssUrlKind, replaceCssUrls } from './css-urls.ts';

const urlsIn = (css: string): [string, CssUrlKind][] => {
  const urls: [string, CssUrlKind][] = [];
  replaceCssUrls(css, (url, kind) => void urls.push([url, kind]));
  return urls;
};

describe('The URLs of CSS', () => {
  it.each<[string, [string, CssUrlKind][]]>([
    ['a{b:url(x.png)}', [['x.png', 'resource']]],
    ['a{b:url( "x y.png" )}', [['x y.png', 'resource']]],
    ["a{b:URL('x.png')}", [['x.png', 'resource']]],
    [String.raw`a{b:url(x\ y.png)}`, [['x y.png', 'resource']]],
    [String.raw`a{b:\75rl("x.png")}`, [['x.png', 'resource']]],
    ['a{b:url(/**/x.png)}', [['/**/x.png', 'resource']]],
    ['a{b:src("x.png")}', [['x.png', 'resource']]],
    [
      'a{b:image-set("x.png" 1x type("image/png"), url(y.png) 2x)}',
      [
        ['x.png', 'resource'],
        ['y.png', 'resource'],
      ],
    ],
    ['@import "a.css";', [['a.css', 'import']]],
    [
      '@import/**/url(a.css)layer(x) supports(b:url(c));',
      [
        ['a.css', 'import'],
        ['c', 'resource'],
      ],
    ],
    [String.raw`@\69mport "a.css"`, [['a.css', 'import']]],
    [
      '@font-face{src:local("X"),url(a.woff2) format("woff2"),url("b.ttf")}',
      [
        ['a.woff2', 'resource'],
        ['b.ttf', 'resource'],
      ],
    ],
    ['@namespace svg url(x);a{b:url(y)}', [['y', 'resource']]],
    ['a::after{content:"url(x.png)"}/* url(y.png) */', []],
    ['@charset "utf-8"; a{b:attr(url)}', []],
    ['a{b:url("x.png"', []],
    [
      'background: url(x.png), url(y.png)',
      [
        ['x.png', 'resource'],
        ['y.png', 'resource'],
      ],
    ],
  ])('of %s are found', (css, urls) => {
    expect(urlsIn(css)).toEqual(urls);
  });

  it('are replaced, and all else stays as it is', () => {
    expect(replaceCssUrls(`a { b: url( 'x' ) c; }\n/* d */ @import "y" print;`, (url) => `new-${url}`)).toBe(
      'a { b: url("new-x") c; }\n/* d */ @import url("new-y") print;',
    );
  });

  it('that are not replaced stay as they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'a{}()"\'\\;:@/* \nurl(import,') }), (css) => {
        expect(replaceCssUrls(css, () => undefined)).toBe(css);
      }),
    );
  });

  it('can be written on one line with the same meaning', () => {
    const css = '@media print {\r\n  a /* x\n y */ b {\n\tc: "d\\\n e"\n  }\n}';
    expect(replaceCssUrls(css, () => undefined, { onOneLine: true })).toBe(
      '@media print { a /**/ b { c: "d\\\n e" } }',
    );
  });
});

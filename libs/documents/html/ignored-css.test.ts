import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findIgnoredFeatures } from './ignored-css.ts';

const featuresIn = (css: string, outermost?: 'element'): string[] =>
  findIgnoredFeatures(css, outermost).map(({ feature }) => feature);

test.each([
  ['h1{string-set:chapter content()}@page{@top-left{content:string(chapter)}}', ['string-set', 'string()']],
  ['.top{position:running(top)}@page{@TOP-left{content:element(top)}}', ['position: running()', 'element()']],
  ['a::after{content:leader(".") target-counter(attr(href url),page)}', ['target-counter()', 'leader()']],
  ['a::after{content:target-text(attr(href))}', ['target-text()']],
  ['.note{float:footnote}', ['float: footnote']],
  ['h1{break-before:right;page-break-after:LEFT!important}', ['break-before: right', 'page-break-after: left']],
  ['.foot::after{content:"Page " counter( page )}', ['counter(page) outside of @page']],
  ['@page{size:A6 landscape;marks:crop cross;bleed:3mm}', ['size: a6 landscape', 'marks', 'bleed']],
  ['@page receipt{size:80mm auto}', ['size: 80mm auto']],
  ['h2{bookmark-level:2;-prince-bookmark-level:2}', ['bookmark-level']],
  ['td{color:cmyk(0,1,1,0);background:device-cmyk(1 0 0 0)}', ['cmyk()']],
  ['p{-prince-hyphenate-patterns:url(x);prince-pdf-page-label:"A"}', ['a property that begins with -prince-']],
  ['@media print{@layer a{h1{/**/string-set/**/:a content()}}}', ['string-set']],
  ['section{h1{string-set:a content()}color:red}', ['string-set']],
  [
    '@supports (display:grid) and (gap:1px){@media print{.n{float:footnote}}@page{size:A6}}',
    ['float: footnote', 'size: a6'],
  ],
])('%s has features that the browser ignores', (css, features) => {
  expect(featuresIn(css)).toEqual(features);
});

test.each([
  '@page{size:A5 landscape;margin:1cm;@bottom-center{content:"Page " counter(page) " of " counter(pages)}}',
  '@page{size:105mm 148mm}@page a{size:4in}@page b{size:auto}@page c{size:landscape}@page d{size:calc(1mm*100)}',
  'h1{bookmark-level:none}p::after{content:counter(page-no)}',
  '@page{marks:none;bleed:0}@page :first{@top-left{content:none}}',
  'h1{break-before:page;break-inside:avoid}h2{page-break-after:always}',
  "p::after{content:\"string(x) target-counter(y) counter(page)\"}p::before{content:'\\'leader(x)'}",
  '@media screen{h1{string-set:a content()}}@supports (string-set: a content()){h1{string-set:a content()}}',
  '@supports not (display:grid){h1{string-set:a content()}}@supports (-moz-x:y){h1{string-set:a content()}}',
  '@supports selector(a:has(b)){h1{string-set:a content()}}@supports (float:footnote) or (gap:0){.n{float:footnote}}',
  'aside{float:left}/* .note{float:footnote} */',
  '.string-set{color:red}a[title="float: footnote"]{color:red}',
])('%s has none', (css) => {
  expect(featuresIn(css)).toEqual([]);
});

test('where another declaration applies in its place, there is no warning', () => {
  expect(featuresIn('p{color:#c00;color:cmyk(0,1,1,0)}@page{size:A6;size:105mm 148mm}')).toEqual([]);
  expect(featuresIn('p{color:#c00}b{color:cmyk(0,1,1,0)}p{color:cmyk(0,0,0,0);color:#000}')).toEqual(['cmyk()']);
  expect(featuresIn('@page{size:A6}@page b{size:A5}')).toEqual(['size: a6']);
});

test('long strings and escapes without end are read in linear time', () => {
  const image = `.a{background:url("data:image/png;base64,${'A'.repeat(12_000_000)}")}`;
  expect(featuresIn(`@page{size:A6}${image}`)).toEqual(['size: a6']);
  expect(featuresIn(`@page{size:A6;x:${'\\"'.repeat(200_000)}`)).toEqual(['size: a6']);
});

test('a style attribute can have them, too', () => {
  expect(featuresIn('color:red;page-break-before:right', 'element')).toEqual(['page-break-before: right']);
});

test('any text is read, and at most 20 features are named', () => {
  const words = [
    '@page',
    '{',
    '}',
    ';',
    'size:',
    'a6',
    '"',
    "'",
    '\\',
    '/*',
    '*/',
    'content:',
    'string(',
    'break-before:left',
  ];
  const css = fc
    .array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 5 })))
    .map((parts) => parts.join(' '));
  fc.assert(fc.property(css, (text) => featuresIn(text).length <= 20));
  expect(featuresIn(Array.from({ length: 30 }, (_, index) => `@page p${index}{size:x${index}}`).join(''))).toHaveLength(
    20,
  );
});

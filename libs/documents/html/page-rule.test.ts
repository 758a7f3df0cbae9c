import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classify } from './classify.ts';
import { mergePageRules, readPageRule } from './page-rule.ts';

test.each([
  [
    '@page{size:A5;margin:2cm}',
    { size: { width: 148, height: 210 }, margins: { top: 20, bottom: 20, left: 20, right: 20 } },
  ],
  ['@PAGE { size : a5 LANDSCAPE }', { size: { width: 210, height: 148 }, margins: {} }],
  ['@page{size:landscape}', { landscape: true, margins: {} }],
  ['@page{size:4in 6in;margin-left:0!important}', { size: { width: 101.6, height: 152.4 }, margins: { left: 0 } }],
  ['@page{size:100mm}', { size: { width: 100, height: 100 }, margins: {} }],
  ['@page{@top-left{content:"a";margin:9mm}margin:1mm 2mm 3mm}', { margins: { top: 1, right: 2, bottom: 3, left: 2 } }],
  ['@page{/*size:A5*/margin-top:5%}@page{margin-top:7mm}', { margins: { top: 7 } }],
  ['@media print{@page{size:B5}}', { size: { width: 176, height: 250 }, margins: {} }],
  [
    '@page :first{size:A5}@page wide{margin-top:0}@page:first{margin-top:1mm}',
    {
      margins: {},
      selected: {
        ':first': { size: { width: 148, height: 210 }, margins: { top: 1 } },
        wide: { margins: { top: 0 } },
      },
    },
  ],
  [
    '@page :FIRST{margin-top:1mm}@page\n:first{margin-left:2mm}@page Wide:Left{margin-top:0}',
    {
      margins: {},
      selected: { ':first': { margins: { top: 1, left: 2 } }, 'Wide:left': { margins: { top: 0 } } },
    },
  ],
  [
    '@page :nosuch{size:A3}@page a :first{size:A3}@page a, b{size:A3}@page "a"{size:A3}@page a:left:first{size:A3}',
    undefined,
  ],
  ['@page{size:A5', { size: { width: 148, height: 210 }, margins: {} }],
  ['a::after{content:"/*"} @page{size:A5}', { size: { width: 148, height: 210 }, margins: {} }],
  ['<!-- @page{margin-top:1mm} -->', { margins: { top: 1 } }],
  ['@page{content:";margin:9mm";margin-top:1mm}', { margins: { top: 1 } }],
  ['@layer a{@page{margin-top:1mm}}', { margins: { top: 1 } }],
  ['@media not screen{@page{margin-top:1mm}}', { margins: { top: 1 } }],
  ['@media screen, print and (min-width: 1mm){@page{margin-top:1mm}}', { margins: { top: 1 } }],
  ['@media screen{@page{size:A5}}@media not print{@page{size:A5}}', undefined],
  ['a @page{size:A5}p::after{content:"@page{size:A5}"}', undefined],
  ['@page;{size:A5}@keyframes page{@page{size:A5}}', undefined],
  ['p{size:A5}', undefined],
])('the general page rule of %s is read', (css, rule) => {
  expect(readPageRule(css)).toEqual(rule);
});

test('later style sheets add to the rule', () => {
  const first = readPageRule('@page{size:A5;margin:1mm}');
  expect(mergePageRules(first, readPageRule('@page{margin-left:4mm}'))).toMatchObject({ margins: { left: 4, top: 1 } });
});

test('later style sheets add to the rules for some pages', () => {
  const rule = (css: string) => readPageRule(css);
  expect(mergePageRules(rule('@page a{margin:1mm}@page b{margin-top:2mm}'), rule('@page a{margin-left:4mm}'))).toEqual({
    margins: {},
    selected: { a: { margins: { top: 1, right: 1, bottom: 1, left: 4 } }, b: { margins: { top: 2 } } },
  });
});

test('the first 20 rules for some pages are kept, of one style sheet and of many', () => {
  const rules = Array.from({ length: 100 }, (_, index) => `@page a${index}{margin:0}`);
  const kept = Array.from({ length: 20 }, (_, index) => `a${index}`);
  const inOneSheet = readPageRule(rules.join(''));
  const inManySheets = rules.map(readPageRule).reduce(mergePageRules);
  for (const rule of [inOneSheet, inManySheets]) expect(Object.keys(rule?.selected ?? {})).toEqual(kept);
});

test('A style sheet of a link with a data: URL has priority over those before it, and no others', () => {
  const style = '<style>@page{size:A4;margin-top:1mm}</style>';
  const link = '<link rel=stylesheet href="data:text/css,@page{margin-top:2mm}">';
  const marginOf = (html: string) => classify(html).classification.pageRule?.margins.top;
  expect([style + link, link + style, style + link + style + link].map(marginOf)).toEqual([2, 1, 2]);
});

test('a style sheet that is not for print adds nothing', () => {
  const pageRuleOf = (media: string) =>
    classify(`<style ${media}>@page{margin-top:1mm}</style>`).classification.pageRule;
  expect(pageRuleOf('media="screen, speech"')).toBeUndefined();
  expect(pageRuleOf('media="only print"')).toEqual({ margins: { top: 1 } });
});

test('plain rules are read wherever white space and comments stand', () => {
  const gap = fc.constantFrom('', ' ', '\n', '/**/', '/* "{;} */');
  const other = fc.constantFrom(
    '',
    'p{margin:9mm}',
    '@media print{p::before{content:"}"}}',
    '@import "x";',
    '@page x{size:A6}',
  );
  const lengths = fc.tuple(fc.nat(50), fc.nat(50));
  fc.assert(
    fc.property(gap, other, other, lengths, (space, before, after, [top, left]) => {
      const declarations = ['size:A5', `margin-top:${top}mm`, `margin-left:${left}mm`].map((one) =>
        one.replace(':', `${space}:${space}`),
      );
      const css = `${before}@page${space}{${space}${declarations.join(`${space};`)}${space}}${after}`;
      expect(readPageRule(css)).toMatchObject({ size: { width: 148, height: 210 }, margins: { top, left } });
    }),
  );
});

test('Style sheets with blocks and comments without an end are read in linear time', () => {
  expect(readPageRule(`@page{margin-top:1mm}${'/* '.repeat(400_000)}`)).toEqual({ margins: { top: 1 } });
  for (const start of ['@page{', '@media print{', '@', '(', '"'])
    expect(readPageRule(`@page{margin-top:1mm}${start.repeat(200_000)}`)).toEqual({ margins: { top: 1 } });
});

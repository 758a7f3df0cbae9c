import { expect, test } from 'vitest';
import { readPageRule } from './page-rule.ts';

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
  ['@page :first{size:A5}@page wide{margin:0}', undefined],
  ['@page{size:A5', { margins: {} }],
  ['p{size:A5}', undefined],
])('the general page rule of %s is read', (css, rule) => {
  expect(readPageRule(css, undefined)).toEqual(rule);
});

test('later style sheets add to the rule', () => {
  const first = readPageRule('@page{size:A5;margin:1mm}', undefined);
  expect(readPageRule('@page{margin-left:4mm}', first)).toMatchObject({ margins: { left: 4, top: 1 } });
});

test('Comments and at-rules without an end are read in linear time', () => {
  expect(readPageRule(`@page{margin-top:1mm}${'/* '.repeat(400_000)}`, undefined)).toEqual({ margins: { top: 1 } });
  const css = `${'@page{'.repeat(20)}margin-top:1mm;${'@'.repeat(3800)};{`;
  for (let count = 0; count < 3000; count += 1)
    expect(readPageRule(css, undefined)).toMatchObject({ margins: { top: 1 } });
});

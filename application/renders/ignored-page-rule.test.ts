import { expect, test } from 'vitest';
import { type NamedRenderOptions, withDefaultOptions } from '#contracts/http/render-options.ts';
import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import { scriptFreeClassification } from '#libs/documents/html/classify.ts';
import { readPageRule } from '#libs/documents/html/page-rule.ts';
import { ignoredPageRuleWarnings } from './ignored-page-rule.ts';

const featuresOf = (css: string, named: NamedRenderOptions = {}, warnings: RenderWarning[] = []) => {
  const prepared = {
    html: `<style>${css}</style>`,
    classification: { ...scriptFreeClassification, pageRule: readPageRule(css) },
    warnings,
  };
  return ignoredPageRuleWarnings(prepared, named, withDefaultOptions(named)).map((warning) =>
    warning.kind === 'feature_ignored' ? warning.feature : '',
  );
};

test.each<[string, NamedRenderOptions, string]>([
  ['@page{size:letter}', {}, 'size in @page'],
  ['@page{size:A4 landscape}', {}, 'size in @page'],
  ['@page{size:landscape;margin:20mm 15mm}', {}, 'size in @page'],
  ['@page{margin:0}', {}, 'margin in @page'],
  ['@page{size:50mm 30mm;margin:2mm}', {}, 'size and margin in @page'],
  ['@page{size:A5;margin:0}', { page_size: 'A6' }, 'margin in @page'],
  ['@page{size:A5;margin:0}', { margin_top: 0, margin_left: 0, margin_right: 0 }, 'size and margin in @page'],
  ['@page{size:A4}@page wide{size:A4 landscape}p{page:wide}', {}, 'size in @page wide'],
  ['@page:first{margin-top:50mm}@page :left{margin:0}', {}, 'margin in @page :first, margin in @page :left'],
  [
    '@page{margin:0}@page wide{size:landscape;margin:0}p{page:wide}',
    {},
    'margin in @page, size and margin in @page wide',
  ],
  ['@page wide{size:A3;margin:0}p{page:wide}', { page_size: 'A4' }, 'margin in @page wide'],
  ['@page wide:First{size:A3}@page unused{size:A3}</style><p style="Page : wide">', {}, 'size in @page wide:first'],
])('%s differs from the pages by %j', (css, named, feature) => {
  expect(featuresOf(css, named)).toEqual([feature]);
});

test.each<[string, NamedRenderOptions]>([
  ['@page{size:A4;margin:20mm 15mm}', {}],
  ['@page{size:210mm 297mm}@page :first{margin:20mm 15mm}@page wide{size:portrait}p{page:wide}', {}],
  ['@page wide{size:A3;margin:0}p{page:wide}', { prefer_css_page_size: false }],
  ['@page{size:portrait}', {}],
  ['@page{size:A5;margin:0}', { prefer_css_page_size: true }],
  ['@page{size:A5;margin:0}', { prefer_css_page_size: false }],
  ['@page{size:A5 landscape}', { orientation: 'portrait' }],
  ['@page{margin:0}', { margin_top: 1, margin_left: 1, margin_right: 1, margin_bottom: 1 }],
  ['@page{@bottom-center{content:counter(page)}}', {}],
  ['p{color:red}', {}],
  ['@page unused{size:A3}p{page:used}@page used{size:A4}', {}],
  ['@page wide{size:A3}p{page:Wide;break-before:page}.page:hover{my-page:wide}', {}],
  ['@page :nosuch{size:A3}@page wide:nosuch{size:A3}p{page:wide}', {}],
])('%s does not differ, or options decide the pages: %j', (css, named) => {
  expect(featuresOf(css, named)).toEqual([]);
});

test.each(['long', 'é', '🦊', 'a🦊'])(
  'two of many rules are named, with the beginning of a long selector: %s',
  (text) => {
    const css = Array.from({ length: 30 }, (_, index) => `${text.repeat(20)}${index}`)
      .map((name) => `@page ${name}{size:A5;margin:0}p{page:${name}}`)
      .join('');
    const [feature = ''] = featuresOf(`@page{size:A5;margin:0}${css}`);
    expect(feature).toMatch(/^size and margin in @page, size and margin in @page [longaé🦊]+… and 19 more$/u);
    const [withoutGeneral = ''] = featuresOf(css);
    expect(withoutGeneral).toMatch(/^(?:(?:, )?size and margin in @page [longaé🦊]+…){2} and 18 more$/u);
    expect(Buffer.byteLength(JSON.stringify(withoutGeneral))).toBeLessThanOrEqual(100);
  },
);

test('a size that the browser does not know has one warning, not two', () => {
  const unknown = { kind: 'feature_ignored' as const, feature: 'size: a6', reason: '' };
  expect(featuresOf('@page{size:A6;margin:0}', {}, [unknown])).toEqual(['margin in @page']);
});

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestPrinter, readPdf, requestFor } from '../testing/printing.ts';
import type { Printer } from '../printer.ts';

let printer: Printer;
beforeAll(async () => void (printer = await openTestPrinter()));
afterAll(() => printer.close());

const fontPath = new URL(import.meta.resolve('pdfjs-dist/standard_fonts/LiberationSans-BoldItalic.ttf'));
const font = `data:font/ttf;base64,${readFileSync(fontPath).toString('base64')}`;
const faceOf = (source: string) => `<style>@font-face{font-family:"Brand Sans";src:url(${source})}</style>`;
const brandFont = (text: string) => `<b style="font-family:'Brand Sans',monospace">${text}</b>`;

/** Whether a PDF has the font, its first page as text, and the warnings. */
const printed = async (html: string, headerHtml: string, options: Record<string, unknown> = {}) => {
  const { pdf, warnings } = await printer.print(requestFor(html, { options: { header_html: headerHtml, ...options } }));
  const pages = await readPdf(pdf);
  return {
    hasFont: Buffer.from(pdf).includes('LiberationSans-BoldItalic'),
    texts: pages.map(({ text }) => text),
    warnings,
  };
};

test.each([
  ['of its own', '<p>x', `${faceOf(font)}${brandFont('Sheet {{page}} of {{total}}')}`],
  ['of the document', `${faceOf(font)}<p>x`, brandFont('Sheet {{page}} of {{total}}')],
  [
    'of the body of the document',
    `${faceOf(font)}<body style="font-family:Brand Sans"><p>x`,
    'Sheet {{page}} of {{total}}',
  ],
])('a header is printed in the font of an @font-face %s', async (_, html, header) => {
  const { hasFont, texts, warnings } = await printed(`${html}<p style="break-before:page">`, header);
  expect(texts.map((text) => text.match(/Sheet \d of \d/)?.[0])).toEqual(['Sheet 1 of 2', 'Sheet 2 of 2']);
  expect({ hasFont, warnings }).toEqual({ hasFont: true, warnings: [] });
});

test('a font that only the network has is named in a warning of the header', async () => {
  const { warnings } = await printed(`${faceOf('https://fonts.example/brand.woff2')}<p>x`, brandFont('Heading'));
  expect(warnings).toContainEqual(
    expect.objectContaining({ kind: 'feature_ignored', feature: 'font Brand Sans in header and footer' }),
  );
});

test('a broken font of a header is named in a warning', async () => {
  const { warnings } = await printed('<p>x', faceOf('data:font/ttf;base64,AAEAAA==') + brandFont('Heading'));
  expect(warnings).toEqual([expect.objectContaining({ kind: 'resource_failed', url: '@font-face Brand Sans' })]);
});

test('a font in a header does not count for each of many pages', async () => {
  const html = '<p style="break-after:page">x</p>'.repeat(200);
  const { hasFont, texts } = await printed(html, `${faceOf(font)}${brandFont('Heading')}`);
  expect({ hasFont, pages: texts.length }).toEqual({ hasFont: true, pages: 200 });
});

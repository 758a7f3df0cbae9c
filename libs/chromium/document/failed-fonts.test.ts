import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestPrinter, requestFor } from '../testing/printing.ts';
import type { Printer } from '../printer.ts';

let printer: Printer;
beforeAll(async () => void (printer = await openTestPrinter()));
afterAll(() => printer.close());

const broken = `data:font/woff2;base64,${Buffer.from('<html>404 Not found</html>').toString('base64')}`;
const faceOf = (family: string, source: string) => `@font-face{font-family:${family};src:${source}}`;
const warningsOf = async (html: string, scripts = false, external = false) =>
  (await printer.print(requestFor(html, { scripts, external }))).warnings;
const failed = (family: string) => ({
  kind: 'resource_failed',
  url: `@font-face ${family}`,
  reason: expect.stringContaining('another font is printed'),
});

test.each([false, true])('a font file that cannot be read is named in a warning (scripts: %s)', async (scripts) => {
  const css = `@media print{${faceOf('"Brand Sans"', `url(${broken})`)}}`;
  const html = `<style>${css}</style><p style="font-family:Brand Sans">Text`;
  expect(await warningsOf(html, scripts)).toEqual([failed('Brand Sans')]);
});

test('a font that is missing among the assets is not reported a second time', async () => {
  const html = `<style>${faceOf('Own', 'url(missing.woff2)')}</style><p style="font-family:Own">Text`;
  expect(await warningsOf(html, false, true)).toEqual([]);
});

test.each([
  ['that no text uses', faceOf('Own', `url(${broken})`), 'serif'],
  ['that is only an installed one, which is missing', faceOf('Own', 'local("Frutiger LT")'), 'Own'],
  ['with another source', faceOf('Own', `url(${broken}),local("DejaVu Sans")`), 'Own'],
])('a font %s has no warning', async (_, css, family) => {
  expect(await warningsOf(`<style>${css}</style><p style="font-family:${family}">Text`)).toEqual([]);
});

test('fonts of scripts that change the functions of the browser do not fail the render', async () => {
  const html = '<p>Text</p><script>document.fonts.__proto__[Symbol.iterator] = () => { throw 1; }</script>';
  expect(await warningsOf(html, true)).toEqual([]);
});

import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { buildPdf, type PdfObjectSource } from '#libs/pdf/testing/build-pdf.ts';
import type { Printer } from '../printer.ts';
import { openTestPrinter, requestFor } from '../testing/printing.ts';
import { countMissingCharacters, missingCharacterWarnings } from './missing-characters.ts';

let printer: Printer;
beforeAll(async () => void (printer = await openTestPrinter()));
afterAll(() => printer.close());

type Options = NonNullable<Parameters<typeof requestFor>[1]>;
const warningsOf = async (html: string, options: Options = {}) =>
  (await printer.print(requestFor(html, options))).warnings;
const emptyBoxes = (count: number) => ({
  kind: 'content_left_out',
  content: 'characters that no font has, with empty boxes in their place',
  count,
});

// U+E123 is for private use, U+2FFFE is no character.
test.each<[string, number, Options?]>([
  ['<p>a\u{E123}b&#x2FFFE;c', 2],
  ['<p>a<p style="break-before:page">\u{E123}', 1],
  ['<p style="font-family:\'Noto Sans CJK JP\'">漢字\u{E123}漢', 1],
  ['<p>😀 \u{E123} <b>\u{E123}</b>', 2],
  ['<p style="opacity:.5">text \u{E123}', 1],
  ['<style>p::before{content:"\\e123"}</style><p>icon', 1],
  ['<p id=p></p><script>p.textContent=String.fromCharCode(57635)</script>', 1, { scripts: true }],
  ['<p style="text-shadow:1px 1px 0 red">\u{E123}', 2],
  ['<p>x', 1, { options: { header_html: '<p style="font-size:9px">\u{E123}</p>' } }],
])('%s has characters that no font has: %d', async (html, count, options) => {
  expect(await warningsOf(html, options)).toEqual([emptyBoxes(count)]);
});

test.each([
  'Größe, façade, žluťoučký, Ελλάδα, Україна, Tiếng Việt, 5 € → “x” …',
  '👩‍⚕️ 🏳️‍🌈 🇩🇪 👍🏽 1️⃣ ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  'مرحبا بالعالم שלום עולם हिन्दी ไทย 漢字 かな 한국어',
  'soft\u{AD}hyphen, zero\u{200B}width, a\u{200D}b, word\u{2060}joiner, \u{FEFF}mark, tab\tline\u{2028}end, x\u{FE0F}',
])('%s needs no character that no font has', async (text) => {
  expect(await warningsOf(`<meta charset=utf-8><p>&#8203;${text}<pre>${text}`)).toEqual([]);
});

/** A PDF of a page with this content, in which `/F4` is a font with codes of 4 digits, and other objects. */
const pdfOf = (content: string, others: Readonly<Record<number, PdfObjectSource>> = {}): Buffer =>
  Buffer.from(
    buildPdf({
      1: '<</Type /Catalog\n/Pages 2 0 R>>',
      2: '<</Type /Pages\n/Count 1\n/Kids [3 0 R]>>',
      3: '<</Type /Page\n/Contents 5 0 R>>',
      4: '<</Type /Font\n/Subtype /Type0>>',
      5: { dictionary: '', stream: content },
      ...others,
    }),
  );
const twoBoxes = '/F4 12 Tf <000000410000> Tj';
const form = (content: string) => ({ dictionary: '/Type /XObject /Subtype /Form', stream: content });
const image = (bytes: string) => ({ dictionary: '/Type /XObject /Subtype /Image', stream: bytes });

test('a form that is drawn twice, and draws itself, is read once', async () => {
  expect(await countMissingCharacters(pdfOf('/X6 Do /X6 Do', { 6: form(`${twoBoxes} /X6 Do`) }))).toBe(2);
});

test('an image is not read, however often it is drawn', async () => {
  const pdf = pdfOf(`${twoBoxes} ${'/X6 Do '.repeat(1000)}`, { 6: image(twoBoxes + ' '.repeat(100_000)) });
  const toString = vi.spyOn(Buffer.prototype, 'toString');
  const count = await countMissingCharacters(pdf);
  const read = toString.mock.results.reduce((sum, { value }) => sum + String(value).length, 0);
  toString.mockRestore();
  expect(count).toBe(2);
  expect(read).toBeLessThan(20_000);
});

const compressedForm = {
  dictionary: '/Subtype /Form /Filter /FlateDecode',
  stream: deflateSync(' '.repeat(10_000)),
};

test.each([
  ['plain', 1000, form(`${twoBoxes} `.repeat(100))],
  ['compressed', 1000, compressedForm],
  ['compressed', 0, compressedForm],
])('what was counted before a %s content stays counted if that exceeds the %d bytes left', async (_, left, large) => {
  const content = `${twoBoxes} /X6 Do /X7 Do`;
  const pdf = pdfOf(content, { 6: form(twoBoxes), 7: large });
  const readBytes = `${content}\nendstream${twoBoxes}\nendstream`.length;
  expect(await countMissingCharacters(pdf, readBytes + left)).toBe(4);
});

test('a damaged content is an error, not one that is too large', async () => {
  const damaged = { dictionary: '/Subtype /Form /Filter /FlateDecode', stream: 'no zlib data' };
  await expect(countMissingCharacters(pdfOf('/X6 Do', { 6: damaged }))).rejects.toThrow('incorrect header');
});

test('other work has its turn while a PDF with many small forms is read', async () => {
  const forms = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [index + 6, form(twoBoxes)]));
  const drawn = Object.keys(forms).map((number) => `/X${number} Do`);
  let turns = 0;
  setImmediate(() => (turns += 1));
  expect(await countMissingCharacters(pdfOf(drawn.join(' '), forms))).toBe(1000);
  expect(turns).toBe(1);
});

const ordinary =
  '<style>a::after{content:"\\A"}</style><a href="/%C3%A9?a=100%25">Größe €</a> 100%Effekt \\frac \\beta C:\\data <br>\r\n\t';
const page = { url: 'https://example.com/', headers: {}, cookies: [] };

test.each<[string, boolean, Options?]>([
  [ordinary, false],
  ['Ελλάδα Україна Tiếng Việt žluťoučký “x” … → − ™ CO₂ m² 10⁴ ﬁ', false],
  [ordinary, false, { options: { header_html: ordinary, footer_html: ordinary } }],
  [ordinary, true, { options: { header_html: '漢' } }],
  [ordinary, true, { options: { footer_html: '漢' } }],
  [ordinary, true, { scripts: true }],
  [ordinary, true, { external: true }],
  [ordinary, true, { page }],
  ['&#x41;', true],
  ['&amp;#', false],
  ['\u{E123}', true],
  ['\u0378', true],
  ['\u03A2', true],
  ['\u1F16', true],
  ['\u0001', true],
  ['\u000B', true],
  ['\\8 ', true],
  ['\\b ', true],
  ['\\1f', true],
  ['\\378 ', true],
  ['\\e123', true],
  ['\\00e123', true],
  ['%EE%84%A3', true],
  ['%f0%9f%98%80', true],
  ['%CD%B8', true],
  ['%26%23x41;', true],
])('of a PDF of %j the boxes are counted: %s', async (html, isRead, options) => {
  const warnings = await missingCharacterWarnings(pdfOf(twoBoxes), requestFor(html, options));
  expect(warnings).toEqual(isRead ? [emptyBoxes(2)] : []);
});

test('a PDF of another form has no warning', async () => {
  expect(await missingCharacterWarnings(Buffer.from('%PDF-1.7'), requestFor('\u{E123}'))).toEqual([]);
});

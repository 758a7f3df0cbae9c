import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Printer } from '../printer.ts';
import { apiErrorFieldsOf, openTestPrinter, readPdf, requestFor } from '../testing/printing.ts';

let printer: Printer;
beforeAll(async () => void (printer = await openTestPrinter()));
afterAll(() => printer.close());

type RequestOptions = Parameters<typeof requestFor>[1];
const printed = async (html: string, options: RequestOptions = {}) =>
  readPdf((await printer.print(requestFor(html, options))).pdf);

/** Members of `document` that the service reads. Each is the name of a form, which hides it. */
const names = [
  ...['adoptedStyleSheets', 'body', 'createElement', 'createRange', 'createTreeWalker', 'documentElement', 'fonts'],
  ...['getAnimations', 'getElementById', 'getElementsByTagName', 'head', 'images', 'querySelector'],
  ...['querySelectorAll', 'styleSheets', 'title'],
];
const forms = names.map((name) => `<form name=${name}><input type=hidden name=a></form>`).join('');

test.each(['off', 'on'] as const)(
  'forms with the names of members of the document change nothing, scripts %s',
  async (mode) => {
    const html = (hiding: string) =>
      '<style>@keyframes x{from{opacity:0}} @page{size:300mm;margin:7mm} p{animation:x 1s}</style><title>Title</title>' +
      `<h1>Heading</h1>${hiding}<p style="margin-left:-40mm">Text<script></script>`;
    const print = (hiding: string) =>
      printed(html(hiding), {
        scripts: mode === 'on',
        isForPdfUa: true,
        options: { header_html: '[{{title}}] [{{section}}]', outline: true },
      });
    const [[plain], [hidden]] = await Promise.all([print(''), print(forms)]);
    expect(plain!.text).toContain('[Title] [Heading]');
    expect(hidden).toEqual(plain);
  },
);

test('an image in a header cannot hide the body', async () => {
  const header_html = '<img name=body src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAAC">Header {{page}}';
  const [page] = await printed('<p>x', { options: { header_html } });
  expect(page!.text).toContain('Header 1');
});

test('wait_for_selector finds an element beside a form named querySelector', async () => {
  const options = { wait_for_selector: '#found' };
  await expect(printed('<form name=querySelector></form><p id=found>x', { options })).resolves.toHaveLength(1);
});

test('a document whose scripts break what the service reads is refused', async () => {
  const html = '<p>x<script>Document.prototype.querySelectorAll = () => { throw new Error("broken") }</script>';
  expect(await apiErrorFieldsOf(printer.print(requestFor(html, { scripts: true })))).toMatchObject({
    name: 'conversion_failed',
    message: expect.stringContaining('Error: broken'),
  });
});

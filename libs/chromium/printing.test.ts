import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiErrorFieldsOf, readPdf, requestFor, openTestPrinter } from './testing/printing.ts';
import type { Printer } from './printer.ts';

let printer: Printer;
beforeAll(async () => void (printer = await openTestPrinter()));
afterAll(() => printer.close());

const printed = async (html: string, options: Parameters<typeof requestFor>[1] = {}) => {
  const { pdf, pages } = await printer.print(requestFor(html, options));
  const pdfPages = await readPdf(pdf);
  expect(pages).toBe(pdfPages.length);
  return pdfPages;
};

test('an empty document is one blank page', async () => {
  const [page, ...others] = await printed('');
  expect(page?.text).toBe('');
  expect(others).toEqual([]);
});

test.each([
  ['A4', 'portrait', 595, 842],
  ['A4', 'landscape', 842, 595],
  ['A3', 'portrait', 842, 1191],
  ['Letter', 'portrait', 612, 792],
  ['Legal', 'landscape', 1008, 612],
  ['Tabloid', 'portrait', 792, 1224],
])('%s %s has its size', async (page_size, orientation, width, height) => {
  const [page] = await printed('<p>x', { options: { page_size, orientation } });
  expect(Math.abs(page!.width - width)).toBeLessThan(1.2);
  expect(Math.abs(page!.height - height)).toBeLessThan(1.2);
});

test('margins are in millimetres from the edge of the page', async () => {
  const [page] = await printed('<style>body{margin:0}</style>Word', { options: { margin_top: 50, margin_left: 70 } });
  expect(page!.words[0]!.x).toBeCloseTo((70 / 25.4) * 72, -0.5);
  expect(page!.words[0]!.y).toBeGreaterThan((50 / 25.4) * 72);
  expect(page!.words[0]!.y).toBeLessThan((50 / 25.4) * 72 + 25);
});

test('scale makes the text larger and keeps the margins', async () => {
  const [[plain], [doubled]] = await Promise.all([
    printed('<style>body{margin:0}</style>Word'),
    printed('<style>body{margin:0}</style>Word', { options: { scale: 2 } }),
  ]);
  expect(doubled!.words[0]!.size / plain!.words[0]!.size).toBeCloseTo(2, 1);
  expect(doubled!.words[0]!.x).toBeCloseTo(plain!.words[0]!.x, 0);
});

test.each([
  '@page{size:A5 landscape;margin:0}',
  '@page:first{margin:60mm}',
  '@page wide{size:A3} body{page:wide}',
  String.raw`@\70 age{margin:0;size:A5}`,
])('the page size is that of the request, whatever %s says', async (css) => {
  const body = `<body style="margin:0">${'<p>Some text in a paragraph.</p>'.repeat(60)}`;
  const [plain, styled] = await Promise.all([printed(body), printed(`<style>${css}</style>${body}`)]);
  expect(styled.map(({ width, height, words }) => ({ width, height, words }))).toEqual(
    plain.map(({ width, height, words }) => ({ width, height, words })),
  );
});

test('the media type is the requested one, even after a document with the other', async () => {
  const html = '<style>@media print{b{display:none}}@media screen{i{display:none}}</style><b>screen</b><i>print</i>';
  for (const emulate_media of ['print', 'screen', 'print', 'screen'])
    expect((await printed(html, { options: { emulate_media } }))[0]!.text).toBe(emulate_media);
});

test('pages are counted correctly for any depth of the page tree', async () => {
  for (const count of [1, 7, 8, 9, 65, 130])
    expect(await printed('<p style="break-after:page">x</p>'.repeat(count - 1) + '<p>y</p>')).toHaveLength(count);
});

test('a title that looks like PDF syntax changes neither the page count nor the dates', async () => {
  const title = ") /Count 99 >> endobj /CreationDate (D:19990101000000+00'00') /Pages 1 0 R \\";
  const { pdf, pages } = await printer.print(requestFor(`<html lang="x) /Pages 1 0 R"><title>${title}</title><p>x`));
  expect(pages).toBe(1);
  expect(
    Buffer.from(pdf)
      .toString('latin1')
      .match(/D:20260203040506\+00'00'/g),
  ).toHaveLength(2);
  expect(await readPdf(pdf)).toHaveLength(1);
});

test('too many pages fail the document with the number and the limit', async () => {
  const error = await apiErrorFieldsOf(
    printer.print(requestFor('<p style="break-after:page">x</p>'.repeat(4), { limits: { maxPages: 3 } })),
  );
  expect(error).toMatchObject({ name: 'conversion_failed', extra: { details: { limit: 3 } } });
  expect((error.extra['details'] as { pages: number }).pages).toBeGreaterThanOrEqual(4);
});

test('margins that leave no room for the text fail the document', async () => {
  const options = {
    page_size: 'A4',
    orientation: 'landscape',
    margin_top: 100,
    margin_bottom: 100,
    footer_html: 'x',
    footer_height: 100,
    header_html: '<div style="height:108mm">y</div>',
  };
  expect(await apiErrorFieldsOf(printer.print(requestFor('<p>x', { options })))).toMatchObject({
    name: 'conversion_failed',
  });
});

test('nothing of a document remains for the next one in the same page', async () => {
  const next =
    '<p>Plain <a href="https://other.example/">link</a> <span style="font-family:Foreign,serif">' +
    'text</span> <img src="data:image/png;base64,' +
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==" width=20 height=20></p>';
  const alone = Buffer.from((await printer.print(requestFor(next))).pdf);
  const intruders = [
    '<meta http-equiv="Content-Security-Policy" content="img-src \'none\'; style-src \'none\'"><p>x',
    '<base href="http://other.example/"><p>x',
    '<meta http-equiv=content-language content=ja><p>x',
    '<style>p{color:red!important}@page{margin:0}*{font-size:40pt}</style><p>x',
    '<style>@font-face{font-family:Foreign;src:local("DejaVu Sans Mono")}</style><p style="font-family:Foreign">x',
    '<html style="zoom:3" dir=rtl><body contenteditable><p>x',
    '<style>@keyframes a{to{opacity:0}}p{animation:a 1s}</style><p>x',
    '<meta name=viewport content="width=100"><meta name=color-scheme content=dark><p>x',
    '<plaintext>x',
    '<frameset><frame src="about:blank"></frameset>',
    '<meta http-equiv="refresh" content="60"><p>x',
    '<iframe srcdoc="<style>p{color:red}</style><p>x"></iframe>',
    '<input autofocus value=x style="margin-top:3000px">',
    '<body link=red vlink=red><style>@font-face{font-family:Foreign;src:local("DejaVu Sans ' +
      'Mono")}</style><a href="https://other.example/">x</a>',
  ];
  for (const intruder of intruders) {
    await printer.print(requestFor(intruder));
    // A document takes the page that was used last.
    const { pdf } = await printer.print(requestFor(next));
    expect({ intruder, same: alone.equals(pdf) }).toEqual({ intruder, same: true });
  }
});

test('a slow document ends at its processing timeout and does not affect the next one', async () => {
  const html = '<table><tr><td>'.repeat(2000) + '<p>x'.repeat(200_000);
  expect(await apiErrorFieldsOf(printer.print(requestFor(html, { limits: { processingMs: 300 } })))).toMatchObject({
    name: 'processing_timeout',
    extra: { timeout_seconds: 1 },
  });
  await expect.poll(() => printer.health().map(({ running }) => running)).toEqual([0, 0, 0]);
  expect((await printed('<p>next'))[0]!.text).toBe('next');
});

test('a document that gets no browser in time fails with service_unavailable', async () => {
  const ended: string[] = [];
  const busy = [1, 2].map(() => printer.print(requestFor('<p>x'.repeat(3000))).finally(() => ended.push('busy')));
  expect(
    await apiErrorFieldsOf(
      printer.print(requestFor('<p>x', { limits: { waitTimeoutMs: 1 } })).finally(() => ended.push('late')),
    ),
  ).toMatchObject({ name: 'service_unavailable' });
  expect(ended).toEqual(['late']);
  await Promise.all(busy);
});

test('the wait time counts towards the processing timeout', async () => {
  expect(
    await apiErrorFieldsOf(
      printer.print(requestFor('<p>x', { options: { wait_time: 5000 }, limits: { processingMs: 50 } })),
    ),
  ).toMatchObject({ name: 'processing_timeout' });
});

test.each([false, true])(
  'a refresh fails the document instead of printing its target (scripts: %s)',
  async (scripts) => {
    const refresh = (seconds: number) =>
      `<meta http-equiv="&#114;eFresh" content=" ${seconds} ; URL = 'http://other.example/' "><p>x`;
    const navigatedAway = {
      name: 'conversion_failed',
      message: expect.stringContaining('http://other.example/'),
      extra: { details: { reason: 'navigated_away' } },
    };
    const documents = () => printer.health().reduce((sum, browser) => sum + browser.documents, 0);
    const before = documents();
    expect(await apiErrorFieldsOf(printer.print(requestFor(refresh(0), { scripts })))).toMatchObject(navigatedAway);
    expect(
      await apiErrorFieldsOf(printer.print(requestFor(refresh(5), { scripts, options: { wait_time: 5000 } }))),
    ).toMatchObject(navigatedAway);
    expect(documents()).toBe(before);
    expect((await printed(refresh(300), { scripts }))[0]!.text).toBe('x');
  },
);

test('a refresh added by a script fails the document', async () => {
  const script =
    `const m=document.createElement('meta');m.httpEquiv='refresh';m.content='0;` +
    `url=http://other.example/';document.head.append(m)`;
  const request = requestFor(`<script>${script}</script><p>x`, { scripts: true, options: { wait_time: 5000 } });
  expect(request.classification.refresh).toBeUndefined();
  expect(await apiErrorFieldsOf(printer.print(request))).toMatchObject({
    name: 'conversion_failed',
    message: expect.stringContaining('other.example'),
  });
});

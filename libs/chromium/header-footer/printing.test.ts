import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPdf, requestFor, openTestPrinter } from '../testing/printing.ts';
import type { Printer } from '../printer.ts';

let printer: Printer;
beforeAll(async () => void (printer = await openTestPrinter()));
afterAll(() => printer.close());

const points = (millimetres: number) => (millimetres / 25.4) * 72;
const body = '<body style="margin:0"><p style="margin:0">First</p>' + '<p>line</p>'.repeat(80);
const printed = async (options: Record<string, unknown>, html = body) =>
  readPdf((await printer.print(requestFor(html, { options }))).pdf);

test('every page has its number, the total and the date', async () => {
  const pages = await printed({ header_html: 'Sheet {{page}} of {{ total }}', footer_html: '<i>{{ date }}</i>' });
  expect(pages.length).toBeGreaterThan(1);
  for (const [index, { text }] of pages.entries()) {
    expect(text).toContain(`Sheet ${index + 1} of ${pages.length}`);
    expect(text).toContain('2026-02-03');
  }
});

test('a header has readable text, aligned with the left margin', async () => {
  const [page] = await printed({ header_html: 'Heading', margin_left: 33 });
  const heading = page!.words.find(({ text }) => text === 'Heading')!;
  expect(heading.size).toBeCloseTo(9, 0);
  expect(heading.x).toBeCloseTo(points(33), -0.5);
});

test.each<[string, string, string, 'left' | 'right']>([
  ['from right to left', '<html dir="rtl"><p>x', 'Page', 'right'],
  ['from right to left by its style', '<style>body{direction:rtl}</style><p>x', 'Page', 'right'],
  ['whose only part is from right to left', '<body><main dir="rtl"><p>x</main>', 'Page', 'right'],
  ['from left to right with a part from right to left', '<p>x</p><main dir="rtl"><p>x</main>', 'Page', 'left'],
  ['from right to left, with a direction of its own', '<html dir="rtl"><p>x', '<p dir="ltr">Page</p>', 'left'],
  ['from right to left, with a direction of its body', '<html dir="rtl"><p>x', '<body dir="ltr">Page', 'left'],
  ['from left to right, with a direction of its own', '<p>x', '<p dir="rtl">Page</p>', 'right'],
])('the footer of a document %s is at the edge where its lines begin', async (_, html, footer, edge) => {
  for (const end of ['', ' <i title="{{page}}"></i>']) {
    const [page] = await printed({ footer_html: footer + end, margin_left: 20, margin_right: 20 }, html);
    const { x } = page!.words.find(({ text }) => text === 'Page')!;
    if (edge === 'left') expect(x).toBeCloseTo(points(20), -0.5);
    else expect(x).toBeGreaterThan(points(210 - 20) - 40);
  }
});

test.each([0.3, 1, 2])('a header keeps its size at scale %d', async (scale) => {
  const [page] = await printed({ header_html: 'Heading', scale });
  expect(page!.words.find(({ text }) => text === 'Heading')!.size).toBeCloseTo(9, 0);
});

test('the margin grows to the height of the header, and to its natural height if that is larger', async () => {
  const first = async (options: Record<string, unknown>) =>
    (await printed({ margin_top: 5, ...options }))[0]!.words.find(({ text }) => text === 'First')!.y;
  const plain = await first({});
  expect((await first({ header_html: 'x', header_height: 40 })) - plain).toBeCloseTo(points(35), -0.5);
  expect((await first({ header_html: '<div style="height:60mm">x</div>', header_height: 10 })) - plain).toBeCloseTo(
    points(55),
    -0.5,
  );
  expect(await first({ header_html: 'x', header_height: 4 })).toBeGreaterThanOrEqual(plain);
});

test('the media of an earlier document does not change the height of a header', async () => {
  const header = '<style>.tall{height:0}@media print{.tall{height:60mm}}</style><div class="tall">x</div>';
  await printed({ emulate_media: 'screen' });
  const options = { margin_top: 5, header_html: header };
  const { pdf } = await printer.print(requestFor(body, { options, scripts: true }));
  expect((await readPdf(pdf))[0]!.words.find(({ text }) => text === 'First')!.y).toBeGreaterThan(points(60));
});

test('a tall footer is below the text and complete on the page', async () => {
  const pages = await printed({
    footer_html: '<p>one</p><p>two</p><p>three</p><p>four</p><p>end</p>',
    margin_bottom: 5,
  });
  for (const { words, height } of pages) {
    const [top, end] = ['one', 'end'].map((expected) => words.find(({ text }) => text === expected)!.y);
    const lowestLine = Math.max(...words.filter(({ text }) => text === 'line').map(({ y }) => y));
    expect(lowestLine).toBeLessThan(top! - 8);
    expect(end!).toBeLessThan(height);
  }
});

test('styles of a header affect neither the footer nor the browser’s template, and a title keeps its text', async () => {
  const [page] = await printed({
    header_html: '<style>p{font-size:20pt} body{text-align:right}</style><p class="title">Mine</p>',
    footer_html: '<p id="header" class="date text">Below</p>',
  });
  expect(page!.words.find(({ text }) => text === 'Mine')!.size).toBeCloseTo(20, 0);
  expect(page!.words.find(({ text }) => text === 'Mine')!.x).toBeGreaterThan(300);
  expect(page!.words.find(({ text }) => text === 'Below')!.size).toBeCloseTo(9, 0);
});

test('nothing in a header runs', async () => {
  const [page] = await printed({
    header_html:
      '<b>kept</b><img src=data:, onerror="this.outerHTML=\'ran\'"><script>document.body.textContent="ran"</script>',
  });
  expect(page!.text).toContain('kept');
  expect(page!.text).not.toContain('ran');
});

test('a header uses the fonts of the document’s body', async () => {
  const { pdf } = await printer.print(
    requestFor('<body style="font-family:\'DejaVu Sans Mono\'">', { options: { header_html: 'Heading' } }),
  );
  expect(Buffer.from(pdf).toString('latin1')).toContain('DejaVuSansMono');
});

test('what a header cannot have is a warning of the render', async () => {
  const print = async (options: Record<string, unknown>, html = body) =>
    (await printer.print(requestFor(html, { options }))).warnings;
  const warning = {
    kind: 'feature_ignored',
    feature: 'class="pageNumber" in header_html',
    reason: 'Write {{page}} in its place.',
  };
  const header = 'Page <span class="pageNumber"></span>';
  expect(await print({ header_html: header })).toEqual([warning]);
  expect(await print({ header_html: `${header}<i title="{{page}}"></i>` })).toEqual([warning]);
  expect(await print({ header_html: header }, '<script>1</script><p>x')).toEqual([warning]);
  expect(await print({ header_html: 'Page {{page}}' })).toEqual([]);
});

test('text of a header or footer that the edge of the page cuts off is a warning', async () => {
  const print = async (options: Record<string, unknown>) =>
    (await printer.print(requestFor(body, { options }))).warnings;
  const long = '<div style="white-space:nowrap">several words '.concat('and more '.repeat(40));
  expect(await print({ footer_html: long })).toEqual([
    { kind: 'content_overflow', element: 'footer_html', side: 'right', overflowMm: expect.closeTo(420, -2.5) },
  ]);
  expect(await print({ header_html: '<p style="margin-left:-40mm">Name', margin_left: 20 })).toMatchObject([
    { kind: 'content_overflow', element: 'header_html', side: 'left', overflowMm: expect.closeTo(20, 0) },
  ]);
  const shown = [
    'several words and more '.repeat(40),
    '<p style="margin:0 -15mm">up to the edges',
    '<p style="white-space:nowrap;overflow:hidden;text-overflow:ellipsis">'.concat('several words '.repeat(40)),
    '<p style="position:absolute;right:0">at the right',
    '<p style="text-indent:-9999px">for screen readers',
  ];
  for (const footer of shown) expect(await print({ footer_html: footer })).toEqual([]);
});

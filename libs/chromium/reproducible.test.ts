import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { invoice } from '../../test/bench/fixtures/invoice.ts';
import { requestFor, openTestPrinter } from './testing/printing.ts';
import type { Printer, PrintRequest } from './printer.ts';

const image =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const animatedSvg =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="9" height="9">' +
  '<animate attributeName="width" from="1" to="40" dur="1s" repeatCount="indefinite"/></rect></svg>';
const animatedImage = `data:image/svg+xml,${encodeURIComponent(animatedSvg)}`;

const corpus: PrintRequest[] = [
  requestFor(invoice(1)),
  requestFor(invoice(2, 90), {
    options: { header_html: '<b>Head</b> {{page}}/{{total}}', footer_html: `<img src="${image}" height=9> {{date}}` },
  }),
  requestFor(`<img src="${image}" width=100 height=30><img src="${animatedImage}">`),
  requestFor(
    '<style>main{display:grid;grid-template-columns:1fr 2fr;gap:4mm}@font-face{font-family:F;' +
      'src:local("DejaVu Serif")}p{font-family:F}</style><main><p>a<p>b<p>c</main>',
  ),
  requestFor(
    '<style>@keyframes k{from{opacity:0;margin-left:0}to{opacity:1;margin-left:50mm}}p{animation:k ' +
      '.7s .1s both}b{animation:k 1s infinite alternate;display:block}</style><p>finite</p><b>' +
      'endless</b>',
  ),
  requestFor(
    '<svg width=200 height=50><circle r=9 cy=20><animate attributeName=cx from=0 to=150 dur=1s ' +
      'fill=freeze /></circle><rect width=9 height=9><animate attributeName=x from=0 to=150 dur=1s ' +
      'repeatCount=indefinite /></rect></svg>',
  ),
  requestFor('<h1>Ünïcödé Ελληνικά Кириллица</h1><ol><li>one<li>two</ol><pre>code</pre>', {
    options: { orientation: 'landscape', scale: 0.7 },
  }),
  requestFor(
    '<canvas id=c></canvas><script>const x=c.getContext("2d");x.fillRect(5,5,50,50);document.body.append(String(new Date(0)))</script>',
    { scripts: true },
  ),
  requestFor('<p>x'.repeat(600), { options: { emulate_media: 'screen', margin_top: 0 } }),
];

let printers: Printer[];
beforeAll(
  async () => void (printers = [await openTestPrinter({ tuning: { documentsPerPage: 5 } }), await openTestPrinter()]),
);
afterAll(() => Promise.all(printers.map((printer) => printer.close())));

// Some fifty documents take minutes on a busy machine.
test('the same request gives the same bytes in other pages, in other browsers and after other documents', async () => {
  const firsts = await Promise.all(corpus.map((request) => printers[1]!.print(request)));
  // In another browser, in another order.
  const reversed = await Promise.all(corpus.toReversed().map((request) => printers[0]!.print(request)));
  const same = reversed.toReversed().map(({ pdf }, index) => Buffer.from(firsts[index]!.pdf).equals(pdf));
  expect(same).toEqual(corpus.map(() => true));
  const order = fc.array(fc.nat(corpus.length - 1), { minLength: 4, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(order, fc.nat(1), async (indices, which) => {
      const again = await Promise.all(indices.map((index) => printers[which]!.print(corpus[index]!)));
      const different = indices.filter((index, place) => !Buffer.from(firsts[index]!.pdf).equals(again[place]!.pdf));
      expect(different).toEqual([]);
    }),
    { numRuns: 4 },
  );
}, 600_000);

test('two prints of a document only differ in the time of the request', async () => {
  const [first, later] = await Promise.all(
    [corpus[0]!, { ...corpus[0]!, requestedAt: new Date('2031-12-31T23:59:59Z') }].map((request) =>
      printers[0]!.print(request),
    ),
  );
  const text = ({ pdf }: { pdf: Uint8Array }) => Buffer.from(pdf).toString('latin1');
  expect(text(later!)).not.toBe(text(first!));
  expect(text(later!).replaceAll('20311231235959', '20260203040506')).toBe(text(first!));
});

test('a progress bar without a value is printed as an empty bar', async () => {
  const at = async (html: string) => Buffer.from((await printers[0]!.print(requestFor(html))).pdf);
  expect(
    (await at('<progress></progress><progress value=.5></progress>')).equals(
      await at('<progress value=0></progress><progress value=.5></progress>'),
    ),
  ).toBe(true);
});

test('finite animations are printed at their end, endless ones at their start', async () => {
  const at = async (html: string) => Buffer.from((await printers[0]!.print(requestFor(html))).pdf);
  const animated =
    '<style>@keyframes k{from{margin-left:10mm}to{margin-left:50mm}}p{animation:k 5s forwards}b{' +
    'display:block;animation:k 5s infinite}</style><p>finite</p><b>endless</b>';
  const still =
    '<style>@keyframes none{}p{margin-left:50mm}b{display:block;margin-left:10mm}</style><p>finite</p><b>endless</b>';
  expect((await at(animated)).equals(await at(still))).toBe(true);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestPrinter, requestFor } from '../testing/printing.ts';
import type { Printer } from '../printer.ts';

let printer: Printer;
beforeAll(async () => void (printer = await openTestPrinter()));
afterAll(() => printer.close());

type Options = Parameters<typeof requestFor>[1];

const page = (body: string, css = '') =>
  `<!doctype html><style>body { margin: 0; font: 16px "Liberation Sans" } ${css}</style><p>Text</p>${body}`;
const newPage = '<h1 style="break-before:page">Next</h1>';
const words = 'several words '.repeat(60);

const print = (html: string, options: Options = {}) => printer.print(requestFor(html, options));
const warningsOf = async (html: string, options: Options = {}) => (await print(html, options)).warnings;
const overflowsOf = async (html: string, options: Options = {}) =>
  (await warningsOf(html, options)).filter(({ kind }) => kind === 'content_overflow');

const overflow = (element: string, pageNumber: number, side: string) =>
  expect.objectContaining({ kind: 'content_overflow', element, page: pageNumber, side });

describe('content outside the printable area', () => {
  test.each<[string, string, object, Options?]>([
    [
      'a table that stays too wide when it is shrunk',
      page(`${newPage}<table class="items"><tr>${'<td>Description</td>'.repeat(30)}</table>`),
      overflow('table.items', 2, 'right'),
    ],
    [
      'a long word in a document with a base',
      `<base href="https://host.test/a/">${page(`${newPage}<p id="word">${'Wordwithoutend'.repeat(20)}`)}`,
      overflow('p#word', 2, 'right'),
    ],
    [
      'one long line of a listing over several pages',
      page(`<pre class="code">${'a\n'.repeat(120)}${words}\nb</pre>`),
      overflow('pre.code', 2, 'right'),
    ],
    [
      'a long word',
      page(`${newPage}${newPage}<p id="word">${'Wordwithoutend'.repeat(20)}`),
      overflow('p#word', 3, 'right'),
    ],
    [
      'a negative margin',
      page(`${newPage}<ul><li>a<li class="note" style="margin-left:-90px">lost</ul>`),
      overflow('ul > li.note', 2, 'left'),
    ],
    ['a box above the first page', page('<b style="position:absolute;top:-30px">lost</b>'), overflow('b', 1, 'top')],
    [
      'all content of a page, with a margin that moves the whole document',
      '<h1 style="margin-top:-200px">lost</h1>',
      overflow('h1', 1, 'top'),
    ],
    [
      'a long word after an empty page',
      `<div style="break-after:page"></div><p id="word" style="width:900px">${'Wordwithoutend'.repeat(20)}`,
      overflow('p#word', 2, 'right'),
    ],
    [
      'a formula',
      page('<p style="margin-left:-90px"><math><mrow><mi>lost</mi><mo>+</mo><mi>y</mi></mrow></math>'),
      overflow('p:nth-child(2)', 1, 'left'),
    ],
    [
      'a formula above the first page',
      page('<p style="margin-top:-90px"><math><mrow><mi>lost</mi><mo>+</mo><mi>y</mi></mrow></math>'),
      overflow('p:nth-child(2)', 1, 'top'),
    ],
    [
      'a fixed box below each page',
      page('<div style="position:fixed;bottom:-9px">x</div>'),
      overflow('div', 1, 'bottom'),
    ],
    [
      'a fixed box in a style sheet with comments',
      page('<div>x</div>', 'div { position/**/:fixed; bottom:-9px }'),
      overflow('div', 1, 'bottom'),
    ],
    [
      'a fixed box in a style with references',
      page('<div style="position&colon;fixed;top&colon;2000px">x</div>'),
      overflow('div', 1, 'bottom'),
    ],
    [
      'a box wider than the page, at its right edge',
      page('<div id="a" style="position:absolute;right:0;width:900px">Text on the left</div>'),
      overflow('div#a', 1, 'left'),
    ],
    [
      'text of a box that scrolls on a screen',
      page(`<pre style="overflow:auto">${words}</pre>`),
      overflow('pre', 1, 'right'),
    ],
    [
      'the end of a text area',
      page(`<textarea rows="2">${'line\n'.repeat(9)}</textarea>`),
      overflow('textarea', 1, 'bottom'),
    ],
    [
      'an image',
      page(
        `${newPage}<img width="1900" height="9" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>">`,
      ),
      overflow('img', 2, 'right'),
    ],
    [
      'text from right to left',
      page(`<div dir="rtl"><div class="wide" style="width:900px">${words}</div></div>`),
      overflow('div > div.wide', 1, 'left'),
    ],
    [
      'what a script writes',
      page(
        `${newPage}<div id="a" style="width:1500px"></div><script>a.textContent = ${JSON.stringify(words)}</script>`,
      ),
      overflow('div#a', 2, 'right'),
      { scripts: true },
    ],
    [
      'a document with a header, on other paper',
      page(`${newPage}<div class="wide" style="margin-left:-90px">${words}</div>`),
      overflow('div.wide', 2, 'left'),
      { options: { page_size: 'A3', orientation: 'landscape', header_html: '<b>Head</b>', scale: 0.8 } },
    ],
  ])('is a warning with its element and page: %s', async (_, html, expected, options) => {
    expect(await overflowsOf(html, options)).toEqual([expected]);
  });

  test('has the side and the length on paper', async () => {
    const lost = page('<p style="margin-left:-96px">lost');
    expect(await overflowsOf(lost)).toMatchObject([{ side: 'left', overflowMm: 25.4 }]);
    expect(await overflowsOf(lost, { options: { scale: 0.5 } })).toMatchObject([{ side: 'left', overflowMm: 12.7 }]);
  });

  test('is named by a short selector, a few times for equal elements', async () => {
    const rows = '<tr><td>a<td><p style="margin-left:-200px">lost</tr>'.repeat(40);
    const found = await overflowsOf(page(`<table class="items">${rows}</table>`));
    expect(found.map((warning) => 'element' in warning && warning.element).slice(0, 2)).toEqual([
      'table.items > tbody > tr:nth-child(1) > td:nth-child(2) > p',
      'table.items > tbody > tr:nth-child(2) > td:nth-child(2) > p',
    ]);
    expect(found.length).toBeLessThanOrEqual(20);
    expect((await overflowsOf(page('<p style="margin-left:-90px">lost'.repeat(40)))).length).toBe(3);
  });
});

describe('there is no warning about', () => {
  test.each<[string, string, Options?]>([
    ['an ordinary document', page(words)],
    ['text that overflow hidden clips', page('<div style="overflow:hidden"><p style="margin-left:-90px">x</div>')],
    [
      'a document that clips all that is too wide',
      page(`<p style="width:1900px">${words}`, 'html, body { overflow-x: hidden }'),
    ],
    [
      'what the whole document clips on the left',
      page('<p style="margin-left:-90px">x', 'html { overflow-x: hidden }'),
    ],
    [
      'a first line that is lower than its letters',
      '<!doctype html><style>body { margin: 0 }</style><h1 style="margin:0;font-size:80px;line-height:0.9">Title</h1>',
    ],
    [
      'a formula in the first line',
      '<!doctype html><style>body, p { margin: 0 }</style><p>Text <math><mrow><mi>x</mi><mo>-</mo><mi>y</mi></mrow></math>' +
        '<p style="margin-left:-0px">Text',
    ],
    ['backgrounds without text', page('<div style="margin:-20px 0 0 -80px;height:50px;background:red"></div>')],
    ['a decoration', page('<p aria-hidden="true" style="position:absolute;left:-20px">~</p>')],
    ['text for screen readers, far outside', page('<p style="position:absolute;left:-9999px">x</p>')],
    ['text for screen readers, cut to nothing', page('<p style="position:absolute;clip:rect(0,0,0,0)">x</p>')],
    ['hidden text', page('<p style="position:absolute;left:-20px;visibility:hidden">x</p>')],
    ['a fixed box on the page', page('<div style="position:fixed;bottom:0">x</div>')],
    [
      'a wide box on wide paper',
      page('<div style="position:absolute;right:0;width:900px">x</div>'),
      { options: { page_size: 'A3' } },
    ],
  ])('%s', async (_, html, options) => {
    expect(await warningsOf(html, options)).toEqual([]);
  });
});

test('a document that the browser prints smaller has a warning with the factor and the widest element', async () => {
  const html = page(`<div style="width:800px">a</div><table class="wide" style="width:900px"><tr><td>b</table>`);
  const shrunk = await warningsOf(html);
  expect(shrunk).toEqual([{ kind: 'content_shrunk', factor: expect.closeTo(682.67 / 900, 2), element: 'table.wide' }]);
  expect(await warningsOf(html, { options: { scale: 0.7 } })).toEqual([]);
  expect(await warningsOf(html, { options: { page_size: 'A3' } })).toEqual([]);
});

const gradientText = 'background:linear-gradient(red,blue);-webkit-background-clip:text;color:transparent';
const picture = '<svg viewBox="0 0 100 100" width="50" height="50" style="display:block';
const long = Array.from({ length: 9000 }, (_, at) => `L${(at * 7919) % 101} ${(at * 104_729) % 97}`).join('');

test.each([
  ['text filled with a gradient', `<h2 style="${gradientText}">c</h2>`],
  ['many such texts', `<h6 style="margin:0;${gradientText}">c</h6>`.repeat(40)],
  ['an opaque part at the corner of the page', '<style>body{margin:0}</style><div style="opacity:.5">x</div>'],
  ['a picture at the corner', `<style>body{margin:0}</style>${picture}"><circle r="40"/></svg>`],
  ['a picture that leaves its box', `<style>body{margin:0}</style>${picture};overflow:visible"><circle r="40"/></svg>`],
  [
    'an enlarged picture',
    `<style>body{margin:0}</style>${picture.replaceAll('100', '10')}"><path d="M0 0${long}"/></svg>`,
  ],
  ['a large picture', `<style>body{margin:0}</style>${picture}"><path d="M0 0${long}"/></svg>`],
])('a document whose first drawing is %s has no warning, but one if it is printed smaller', async (_, html) => {
  const first = `<!doctype html>${html}<p>x`;
  expect(await warningsOf(first)).toEqual([]);
  expect(await warningsOf(`${first}<table class="wide" style="width:900px"><tr><td>b</table>`)).toEqual([
    { kind: 'content_shrunk', factor: expect.closeTo(682.67 / 900, 1), element: 'table.wide' },
  ]);
});

test('a document without margins whose first drawing is a picture has no warning', async () => {
  const html = `<!doctype html><style>body{margin:0}</style>${picture}"><circle r="40"/></svg><p>x`;
  const none = { margin_top: '0mm', margin_bottom: '0mm', margin_left: '0mm', margin_right: '0mm' };
  expect(await warningsOf(html, { options: none })).toEqual([]);
});

const dot =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const scan = (style: string) => `<img src="${dot}" style="${style}">`;

test.each<[string, string, number, Options?]>([
  ['alone', scan('width:2480px;height:300px'), 1],
  ['without margins of the body', `<style>body{margin:0}</style>${scan('width:2480px;height:300px')}`, 1],
  ['over pages after an empty one', `${scan('width:8000px;height:12000px')}<p>x`, 2],
  ['with tags', scan('width:2480px;height:300px'), 1, { options: { tagged: true } }],
  ['below a fixed text', `${scan('width:8000px;height:6000px')}<p style="position:fixed;bottom:0">x`, 2],
])('a picture that is cut has warnings: %s', async (_, html, number, options = {}) => {
  expect(await warningsOf(`<!doctype html>${html}`, options)).toEqual([
    { kind: 'content_shrunk', factor: 0.667, element: 'img' },
    overflow('img', number, 'right'),
  ]);
});

test.each([
  ['fits', scan('width:100%;height:90vh')],
  ['is cut by its box', `<div style="overflow:hidden;width:300px">${scan('width:2480px;height:300px')}</div>`],
  ['is cut by the page on purpose', `<style>html{overflow:hidden}</style>${scan('width:2480px;height:300px')}`],
  ['covers its box', scan('width:300px;height:600px;object-fit:cover')],
  ['is a background', `<div style="height:300px;background:url(${dot}) 0 0/2480px 300px">`],
])('a picture alone has no warning if it %s', async (_, html) => {
  expect(await warningsOf(`<!doctype html>${html}`)).toEqual([]);
});

test('a document that cuts a picture on purpose and loses a text is not said to be printed smaller', async () => {
  const cut = `<div style="overflow:hidden">${scan('width:2480px;height:300px')}</div>`;
  const html = `<!doctype html><style>body{margin:0}</style>${cut}<p style="break-before:page;margin-left:-50px">text`;
  expect((await warningsOf(html)).map(({ kind }) => kind)).toEqual(['content_overflow']);
});

test('the search does not change the PDF, nor the documents after it in the same page', async () => {
  const [plain, lost] = [page(words), page(`<p style="margin-left:-90px">${words}`)];
  const wide: Options = { options: { page_size: 'A3' } };
  const [first, second] = [await print(plain), await print(lost)];
  for (let round = 0; round < 3; round += 1) await print(lost, wide);
  expect(Buffer.compare((await print(plain)).pdf, first.pdf)).toBe(0);
  expect(Buffer.compare((await print(lost)).pdf, second.pdf)).toBe(0);
});

test.each([
  ['throws', 'Document.prototype.createRange = () => { throw new Error() }'],
  ['gives nonsense', 'Map.prototype.entries = Array.prototype.map = () => ({ a: 1 })'],
  ['never ends when it is printed', 'Range.prototype.selectNodeContents = () => { for (;;); }'],
])('a search that fails does not fail the render: the document %s', async (_, script) => {
  const { pages } = await print(page(`<p style="margin-left:-90px">x<script>${script}</script>`), { scripts: true });
  expect(pages).toBe(1);
});

test('a failed search still tells that the document was printed smaller', async () => {
  const html = page('<p style="width:900px">x<script>Document.prototype.createRange = () => { throw 1 }</script>');
  expect(await warningsOf(html, { scripts: true })).toEqual([
    { kind: 'content_shrunk', factor: expect.closeTo(682.67 / 900, 2) },
  ]);
});

import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Printer } from '../printer.ts';
import { apiErrorFieldsOf, openTestPrinter, readPdf, requestFor } from '../testing/printing.ts';

let printer: Printer;
beforeAll(async () => void (printer = await openTestPrinter()));
afterAll(() => printer.close());

const request = (css: string, body: string, isForPdfUa = true) =>
  requestFor(`<!doctype html><html lang=en><title>T</title><style>${css}</style>${body}`, {
    isForPdfUa,
    options: { tagged: true },
  });
const positionsIn = async (...of: Parameters<typeof request>) =>
  (await readPdf((await printer.print(request(...of))).pdf)).flatMap(({ words }) =>
    words.map(({ text, x, y, size }) => ({ text, x: Math.round(x), y: Math.round(y), size })),
  );

/** The text of the first page that belongs to the structure. */
const structuredText = async (pdf: Uint8Array): Promise<string> => {
  const task = getDocument({ data: new Uint8Array(pdf), verbosity: 0 });
  const page = await (await task.promise).getPage(1);
  const { items } = await page.getTextContent({ includeMarkedContent: true });
  await task.destroy();
  const open: boolean[] = [];
  let text = '';
  for (const item of items)
    if ('str' in item) text += open.includes(true) ? item.str : '';
    else if (item.type === 'endMarkedContent') open.pop();
    else open.push(item.id !== undefined);
  return text;
};

describe('Text that a style sheet adds', () => {
  it.each([
    [
      'nested counters',
      'li{counter-increment:i}ol{counter-reset:i}li::before{content:counters(i,".")" "}',
      '<ol><li>a<ol><li>b</ol></ol>',
    ],
    [
      'items of a flex box',
      '.f{display:flex;justify-content:space-between}.f::before{content:"No. 7";flex:1}',
      '<div class=f><b>a</b><i>b</i></div>',
    ],
    [
      'items of a grid',
      '.g{display:grid;grid-template-columns:1fr 2fr}.g::after{content:"EUR";order:-1}',
      '<div class=g><b>a</b></div>',
    ],
    [
      'positioned in percentages',
      'p{position:relative;height:9em}p::before{content:"NEW";position:absolute;top:50%;left:50%;width:20%;transform:translate(-50%)}',
      '<p>a',
    ],
    [
      'in a cell',
      'tr{counter-increment:r}td:first-child::before{content:counter(r)}',
      '<table><tr><td><td>b<tr><td><td>d</table>',
    ],
    [
      'of an attribute',
      'a::after{content:" (" attr(href) ")";font-size:70%}',
      '<a href="https://example.com/">a</a> b',
    ],
    ['beside rules for all elements', '* {margin:0;padding:9px} p *{float:right} p::before{content:"Total "}', '<p>a'],
    ['in rules within rules', 'p{ &::before{content:"Note: "; @media print{font-weight:700}} }', '<p>a'],
  ])('has the same place as in other PDFs: %s', async (_, css, body) => {
    const places = await positionsIn(css, body);
    expect(places).toEqual(await positionsIn(css, body, false));
    expect(places.length).toBeGreaterThan(1);
  });

  it('belongs to the structure in a PDF for PDF/UA', async () => {
    const css = 'h2{counter-increment:c}h2::before{content:counter(c,upper-roman) ". "}p::after{content:" EUR"}';
    const { pdf } = await printer.print(request(css, '<h2>One</h2><p>5</p><h2>Two</h2>'));
    expect(await structuredText(pdf)).toBe('I. One5 EURII. Two');
  });

  it.each([
    ['symbols', 'p::before{content:"→ • ✓ “"}'],
    ['without an alternative text', 'p:first-child::before{content:"12" / ""}'],
    ['on each page', 'p:first-child::before{content:"DRAFT";position:fixed}'],
  ])('stays decoration: %s', async (_, css) => {
    const body = '<p>a';
    expect(await positionsIn(`${css}p:not(:only-child){color:red}`, body)).toEqual(await positionsIn(css, body, false));
  });

  it.each([
    ['another first child', 'b:first-child{color:red}p::before{content:"Note "}', '<p id=q><b>a</b>', 'p#q'],
    ['another distance', 'div>*+*{margin-top:9mm}div::before{content:"A";display:block}', '<div><p>a</div>', 'div'],
    [
      'an element without content',
      'input{appearance:none}input::before{content:"on"}',
      '<input type=checkbox>',
      'input',
    ],
    [
      'a picture, too',
      `p::before{content:url("data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=") " x"}`,
      '<p>a',
      'p',
    ],
  ])('is a violation if an element in its place would change the document: %s', async (_, css, body, element) => {
    expect(await apiErrorFieldsOf(printer.print(request(css, body)))).toMatchObject({
      name: 'conformance_not_met',
      extra: { violations: [{ element, message: expect.stringMatching(/::before/) as unknown }] },
    });
  });
});

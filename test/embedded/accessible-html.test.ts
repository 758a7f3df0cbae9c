import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, type Body, createClient } from '../support/client/api-client.ts';
import { pdfBytes, readStructure } from '../support/documents/read-pdf.ts';
import { readReadingOrder } from '../support/documents/read-structure-text.ts';
import { conformsTo, isVeraPdfAvailable, validate } from '../support/documents/verapdf.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const page = (body: string): string => `<!doctype html><html lang=en><title>T</title><h1>x</h1>${body}`;
const arabic = 'مرحبا بالعالم';
const mixed = `Page&nbsp;1 soft&shy;hyphen e\u0301 ${arabic} עולם 日本 हिन्दी`;
const dot = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
const svg = (text: string, attributes: string): string =>
  `<svg xmlns='http://www.w3.org/2000/svg' width='90' height='40' ${attributes}><text y='20'>${text}</text></svg>`;

type Html = [html: string, options?: Body];

const render = async (name: string, [html, options]: Html): Promise<Uint8Array> => {
  const response = await caller.convert('html', html, { ...options, conformance: 'pdf/ua-1' });
  expect([name, response.status, response.text.slice(0, 300)]).toEqual([name, 200, expect.any(String)]);
  return pdfBytes(String(response.body['pdf_base64']));
};

const link = (role: string): string => `<a href="https://example.com/${role}" role=${role} aria-label=a>text</a> `;
const roles = (names: string): string => names.split(' ').map(link).join('');
const levels = [7, 9, 2, 8].map((level) => `<span role=heading aria-level=${level}>a</span>`);
const mask = '-webkit-mask-image:linear-gradient(black,transparent)';

/** Text outside of the structure that the browser marks for its characters or its direction. */
const texts: Record<string, Html> = {
  footer: [page(''), { footer_html: mixed }],
  ligatures: [page(''), { footer_html: '<span style="font-family:Calibri">office</span>' }],
  hidden: [page(`<p aria-hidden=true>${mixed}</p><div aria-hidden=true style="opacity:.5">${mixed}</div>`)],
  generated: [page(`<style>p::before { content: "※ 日本 ${arabic}" }</style><p>x`)],
  'margin box': [page(`<style>@page { @bottom-center { content: "a\\00a0" counter(page) "${arabic}" } }</style>`)],
  drawings: [page(`${svg(mixed, 'aria-hidden=true')}<img alt=s src="data:image/svg+xml,${svg(arabic, '')}">`)],
  placeholder: [page(`<label>a <input placeholder="日本語"></label><label>b <input value="${arabic}"></label>`)],
  repeated: [page('<p style="position:fixed;bottom:0">x <b>y</b></p><p style="height:40cm">z')],
  'text of the structure': [page(`<p>${mixed}<p style="opacity:.5">${mixed}`)],
};

/** Links that HTML gives other roles, and those of drawings. */
const links: Record<string, Html> = {
  notes: [page(`<p>${roles('doc-noteref doc-backlink doc-biblioref doc-glossref term')}`)],
  controls: [page(`<p>${roles('button menuitem tab switch checkbox option')}`)],
  texts: [page(roles('heading paragraph note definition code strong figure img separator listitem'))],
  'over lines': [page(`<a href="#q" role=heading aria-level=2>${'many words '.repeat(40)}</a><p id=q>q`)],
  lists: [page('<ul><li>a</ul><a href="#q" role=list><span role=listitem>b</span></a><p id=q>q')],
  rows: [
    page(
      '<div role=table><div role=row><span role=columnheader>a</span></div>' +
        '<a href="#q" role=row><span role=cell>b</span></a></div><p id=q>q',
    ),
  ],
  drawing: [
    page(
      '<svg width=100 height=40 role=img aria-label=q><a href="https://example.com/1"><text y=20>one</text></a>' +
        '<a href="https://example.com/2"><text y=40>two</text></a></svg>',
    ),
  ],
};

/** What has a mask, which the browser draws twice. */
const masked: Record<string, Html> = {
  gradient: [page(`<p style="${mask}">m ${mixed}`)],
  image: [page(`<p style="mask:url(${dot})">m`)],
  drawing: [
    page(
      '<svg width=90 height=90 role=img aria-label=s><mask id=m><rect width=40 height=40 fill="#888"/></mask>' +
        '<rect width=50 height=50 mask="url(#m)"/><text y=20 mask="url(#m)">t</text></svg>',
    ),
  ],
  nested: [
    page(
      `<div style="${mask}"><h2>a</h2><p>b <b style="opacity:.5">c</b> <i style="${mask}">d</i><table><tr><th>e` +
        '<tr><td>f</table></div>',
    ),
  ],
};

/** Tables with cells that go on below the last row. */
const tables: Record<string, Html> = {
  table: [page('<table><tr><th>a<th>b<tr><td rowspan=3>1<td>2</table>')],
  groups: [
    page(
      '<table><thead><tr><th>a<th rowspan=4>b</thead><tbody><tr><td>1<td>2<tr><td rowspan=9>3<td>4<tbody><tr><td>5' +
        '<td>6<tfoot><tr><td rowspan=2 colspan=2>7</table>',
    ),
  ],
};

const groups = {
  texts,
  links,
  masked,
  tables,
  headings: { 'of any level': [page(`${levels.join('')}<h2>b</h2>`)] as Html },
};

/** A document whose parts have footers in several scripts. */
const composed = async (): Promise<Uint8Array> => {
  const part = { mode: 'CONVERT', input_type: 'html', data: page(''), footer_html: mixed };
  const { body } = await caller.postRender({
    mode: 'COMPOSE',
    parts: [part, part],
    metadata: { title: 'T' },
    page_numbers: {},
    conformance: 'pdf/ua-1',
  });
  return pdfBytes(String(body['pdf_base64']));
};

// In one test, because the start of the validator takes longer than the validation of all these files.
it.skipIf(!isVeraPdfAvailable)(
  'veraPDF finds nothing wrong in marked texts, links with roles, masks, headings, tables, and compositions of them',
  async () => {
    const pdfs: Record<string, Uint8Array> = { composed: await composed() };
    for (const [group, documents] of Object.entries(groups))
      for (const [name, document] of Object.entries(documents))
        pdfs[`${group}: ${name}`] = await render(name, document);
    const valid = Object.fromEntries(Object.keys(pdfs).map((name) => [name, conformsTo('ua1')]));
    expect(await validate(pdfs)).toEqual(valid);
  },
);

const embedded = `src="${dot}" width=40 height=40`;

describe('In a PDF for PDF/UA', () => {
  const alternativeTexts = async (body: string): Promise<string[]> => {
    const { pdf_base64: pdf } = await caller.render('html', page(body), { conformance: 'pdf/ua-1' });
    return (await readStructure(pdf)).alternativeTexts;
  };

  it.each([
    [`<object type=image/gif data="${dot}" width=40 height=40>A dot</object>`, 'A dot'],
    [`<object type=image/gif aria-label=Label data="${dot}" width=40 height=40>A dot</object>`, 'Label'],
    [`<embed type=image/gif title="A dot" ${embedded}>`, 'A dot'],
    [`<input type=image alt=Send ${embedded}>`, 'Send'],
    ['<canvas id=c>Sales</canvas><script>c.getContext("2d").fillRect(0,0,50,50)</script>', 'Sales'],
  ])('%s has its alternative text', async (html, text) => expect(await alternativeTexts(html)).toEqual([text]));

  it('tick boxes have their state', async () => {
    const boxes =
      '<label><input type=checkbox checked> News</label><label><input type=checkbox> Offers</label>' +
      '<input type=radio name=r aria-label=Yes checked><input type=radio name=r aria-label=No>';
    expect(await alternativeTexts(boxes)).toEqual(['☑', '☐', 'Yes ☑', 'No ☐']);
  });

  it('text that is fixed at a place of each page is read once', async () => {
    const pages = '<p style="height:20cm">One</p><p style="height:20cm">Two</p><p>Three</p>';
    const fixed = '<div style="position:fixed;top:0">Not yet <b>signed</b></div>';
    const { pdf_base64: pdf } = await caller.render('html', page(fixed + pages), { conformance: 'pdf/ua-1' });
    expect(await readReadingOrder(pdf)).toEqual(['H1: x', '- Not yet signed', 'P: One', 'P: Two', 'P: Three']);
  });

  it.each([
    ['object', `<object type=image/gif data="${dot}" width=40 height=40></object>`, /alternative text/],
    ['embed', `<embed type=image/gif ${embedded}>`, /alternative text/],
    ['input#i', `<input id=i type=image ${embedded}>`, /alternative text/],
    ['video', `<video poster="${dot}" width=40 height=40></video>`, /image with an alternative text/],
    ['b', '<b style="filter:grayscale(1)">Text</b>', /filter/],
    ['img', `<img alt=Logo style="filter:drop-shadow(0 0 1px red)" ${embedded}>`, /filter/],
    ['h2', '<h2 style="-webkit-box-reflect:below">Text</h2>', /reflection/],
  ])('a visible %s that cannot be read is a violation: %s', async (element, html, message) => {
    expectErrorResponse(await caller.convert('html', page(html), { conformance: 'pdf/ua-1' }), 'conformance_not_met', {
      violations: [expect.objectContaining({ element, message: expect.stringMatching(message) as unknown })],
      total_violations: 1,
    });
    expect(await alternativeTexts(`<p>x</p><div aria-hidden=true>${html}</div>`)).toEqual([]);
  });
});

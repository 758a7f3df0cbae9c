import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, type Body, createClient } from '../support/client/api-client.ts';
import { pdfBytes } from '../support/documents/read-pdf.ts';
import { conformsTo, isVeraPdfAvailable, validate, type Validation } from '../support/documents/verapdf.ts';
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

/** The documents that veraPDF finds something wrong in, and the rules. */
const failuresOf = async (documents: Record<string, Html>): Promise<Record<string, Validation>> => {
  const pdfs: Record<string, Uint8Array> = {};
  for (const [name, document] of Object.entries(documents)) pdfs[name] = await render(name, document);
  const validations = Object.entries(await validate(pdfs));
  expect(validations).toHaveLength(Object.keys(documents).length);
  return Object.fromEntries(validations.filter(([, found]) => !isDeepStrictEqual(found, conformsTo('ua1'))));
};

describe.skipIf(!isVeraPdfAvailable)('veraPDF finds nothing wrong in', () => {
  it('text outside of the structure that the browser marks for its characters or its direction', async () => {
    const failures = await failuresOf({
      footer: [page(''), { footer_html: mixed }],
      ligatures: [page(''), { footer_html: '<span style="font-family:Calibri">office</span>' }],
      hidden: [page(`<p aria-hidden=true>${mixed}</p><div aria-hidden=true style="opacity:.5">${mixed}</div>`)],
      generated: [page(`<style>p::before { content: "※ 日本 ${arabic}" }</style><p>x`)],
      'margin box': [page(`<style>@page { @bottom-center { content: "a\\00a0" counter(page) "${arabic}" } }</style>`)],
      drawings: [page(`${svg(mixed, 'aria-hidden=true')}<img alt=s src="data:image/svg+xml,${svg(arabic, '')}">`)],
      placeholder: [page(`<label>a <input placeholder="日本語"></label><label>b <input value="${arabic}"></label>`)],
      'text of the structure': [page(`<p>${mixed}<p style="opacity:.5">${mixed}`)],
    });
    expect(failures).toEqual({});
  });

  it('links that HTML gives other roles, and those of drawings', async () => {
    const link = (role: string): string => `<a href="https://example.com/${role}" role=${role} aria-label=a>text</a> `;
    const roles = (names: string): string => names.split(' ').map(link).join('');
    const failures = await failuresOf({
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
    });
    expect(failures).toEqual({});
  });

  it('headings of any level', async () => {
    const levels = [7, 9, 2, 8].map((level) => `<span role=heading aria-level=${level}>a</span>`);
    expect(await failuresOf({ headings: [page(`${levels.join('')}<h2>b</h2>`)] })).toEqual({});
  });

  it('what has a mask, which the browser draws twice', async () => {
    const mask = '-webkit-mask-image:linear-gradient(black,transparent)';
    const failures = await failuresOf({
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
    });
    expect(failures).toEqual({});
  });

  it('tables with cells that go on below the last row', async () => {
    const failures = await failuresOf({
      table: [page('<table><tr><th>a<th>b<tr><td rowspan=3>1<td>2</table>')],
      groups: [
        page(
          '<table><thead><tr><th>a<th rowspan=4>b</thead><tbody><tr><td>1<td>2<tr><td rowspan=9>3<td>4<tbody><tr><td>5' +
            '<td>6<tfoot><tr><td rowspan=2 colspan=2>7</table>',
        ),
      ],
    });
    expect(failures).toEqual({});
  });

  it('a composed document whose parts have such footers', async () => {
    const part = { mode: 'CONVERT', input_type: 'html', data: page(''), footer_html: mixed };
    const composed = await caller.postRender({
      mode: 'COMPOSE',
      parts: [part, part],
      metadata: { title: 'T' },
      page_numbers: {},
      conformance: 'pdf/ua-1',
    });
    const pdf = pdfBytes(String(composed.body['pdf_base64']));
    expect(await validate({ pdf })).toEqual({ pdf: conformsTo('ua1') });
  });
});

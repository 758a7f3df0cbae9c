import { PDFDocument } from '@cantoo/pdf-lib';
import { beforeAll, describe, expect, it } from 'vitest';
import { issueKey, createUnlimitedKey, openAccount } from '../support/service/accounts.ts';
import { type ApiClient, type ApiResponse, type Body, createClient } from '../support/client/api-client.ts';
import { createTemplateClient } from '../support/client/template-client.ts';
import { pdfBytes, readLinks, readPdf, readStructure } from '../support/documents/read-pdf.ts';
import { checkWithQpdf, isQpdfAvailable } from '../support/documents/qpdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const page = (title: string, body: string, lang = 'en'): string =>
  `<!doctype html><html lang="${lang}"><head><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`;
const html = (title: string, body: string, options: Body = {}, lang = 'en'): Body => ({
  mode: 'CONVERT',
  input_type: 'html',
  data: page(title, body, lang),
  ...options,
});
const pageBreak = '<p style="break-before: page">';
const compose = (parts: Body[], options: Body = {}): Promise<ApiResponse> =>
  caller.postRender({ mode: 'COMPOSE', parts, ...options });
const composed = async (parts: Body[], options: Body = {}): Promise<string> => {
  const response = await compose(parts, options);
  expect([response.status, response.text.slice(0, 500)]).toEqual([200, expect.any(String)]);
  const pdf = String(response.body['pdf_base64']);
  if (isQpdfAvailable && !('encryption' in options))
    expect(await checkWithQpdf(pdfBytes(pdf))).toMatchObject({ isGood: true });
  return pdf;
};
const textsOf = async (pdf: string): Promise<string[]> =>
  (await readPdf(pdf)).map(({ text }) => text.replaceAll(/\s+/g, ' ').trim());

describe('A composed document', () => {
  it('has the pages of all parts in their order, each with its own options over those of the whole', async () => {
    const templates = createTemplateClient(caller);
    const { id } = await templates.create('<h1>{{name}}</h1>', { default_options: { page_size: 'A6' } });
    const { pdf_base64: existing } = await caller.render('html', page('Old', `<p>first${pageBreak}second`));
    const pages = await readPdf(
      await composed(
        [
          html('One', '', { orientation: 'landscape' }),
          { mode: 'RENDER', template_id: id, data: { name: 'Two' } },
          { mode: 'CONVERT', input_type: 'json', data: { a: 12_345_678_901_234_567_890n.toString() } },
          { mode: 'PDF', data: existing, page_ranges: '2' },
        ],
        { page_size: 'A5', footer_html: 'foot {{page}}/{{total}}' },
      ),
    );
    const sizes = pages.map(({ width, height }) => [Math.round(width), Math.round(height)]);
    expect(sizes).toEqual([
      [210, 148],
      [148, 210],
      [148, 210],
      [210, 297],
    ]);
    const texts = pages.map(({ text }) => text);
    expect(texts[0]).toMatch(/One[^]*foot 1\/1/);
    expect(texts[1]).toMatch(/Two[^]*foot 1\/1/);
    expect(texts[2]).toContain('12345678901234567890');
    expect(texts[3]).toContain('second');
    expect(texts[3]).not.toContain('foot');
  });

  it('has one outline and one structure tree, and keeps links within and between parts', async () => {
    const pdf = await composed(
      [
        html(
          'Terms',
          '<p><a href="#s">down</a> <a href="part:1">over</a> <a href="https://a.test/">out</a><h2 id="s">Scope</h2>',
        ),
        html('Annex', '<h2 id="s">Prices</h2><p><a href="#s">up</a><table><tr><th>A<tr><td>1</table>'),
      ],
      { outline: true },
    );
    const { isTagged, roles, outline } = await readStructure(pdf);
    expect(outline).toEqual(['Terms', ' Scope', 'Annex', ' Prices']);
    expect(isTagged).toBe(true);
    expect(roles.filter((role) => ['Part', 'H1', 'H2'].includes(role))).toEqual([
      'Part',
      'H1',
      'H2',
      'Part',
      'H1',
      'H2',
    ]);
    const links = await readLinks(pdf);
    expect(links).toHaveLength(4);
    expect(links[0]).toEqual({ place: 'part0.s' });
    expect(links[1]).toEqual({ place: expect.stringContaining('object') as string });
    expect(links[2]).toEqual({ url: 'https://a.test/' });
    expect(links[3]).toEqual({ place: 'part1.s' });
  });

  it.each(['s', '長い見出し', '長'.repeat(40), 'Größe'])(
    'links to a heading with the id "%s" of another part',
    async (id) => {
      const target = html('Annex', `<h2 id="${id}">Prices</h2><p><a href="#${id}">up</a>`);
      const pdf = await composed([html('Terms', `<p><a href="part:1#${id}">over</a>`), target]);
      const [fromOther, fromSame] = await readLinks(pdf);
      expect(fromSame).toEqual({ place: expect.stringMatching(/^part1\.|^[0-9a-f]{64}$/) as string });
      expect(fromOther).toEqual(fromSame);
    },
  );

  it('has a table of contents of several pages with the right page numbers, and begins parts on the right', async () => {
    const headings = Array.from({ length: 70 }, (_, index) => `<h2>Heading ${index + 1}.</h2>${pageBreak}`);
    const pdf = await composed(
      [
        html('Cover', '', { cover: true }),
        html('Alpha', headings.join('')),
        html('Beta', '<h2>Last heading.</h2>', { title: 'The second part', orientation: 'landscape' }),
      ],
      { contents: { title: 'What is inside', depth: 2 }, start_on: 'right', page_size: 'A6' },
    );
    const texts = await textsOf(pdf);
    const first = texts.findIndex((text) => text.startsWith('What is inside'));
    expect([texts[0], texts[1], first]).toEqual(['Cover', '', 2]);
    const alpha = texts.findIndex((text, index) => index > first && text.startsWith('Alpha'));
    expect(alpha - first).toBeGreaterThan(2);
    const beta = texts.findIndex((text) => text.startsWith('Beta'));
    expect([alpha % 2, beta % 2]).toEqual([0, 0]);
    const contents = texts.slice(first, alpha).join(' ');
    expect(contents).toContain(`Alpha ${alpha + 1}`);
    expect(contents).toContain(`The second part ${beta + 1}`);
    for (const number of [1, 30, 70]) {
      const on = texts.findIndex((text, index) => index >= alpha && text.includes(`Heading ${number}.`));
      expect(contents).toContain(`Heading ${number}. ${on + 1}`);
    }
    expect(contents).not.toContain('Cover');
    expect(await readLinks(pdf)).toHaveLength(73);
  });

  it('names the table of contents in the language of the first part', async () => {
    const pdf = await composed([html('Bericht', '', {}, 'de')], { contents: true });
    expect((await textsOf(pdf))[0]).toBe('Inhalt Bericht 2');
  });

  it('has the title of its first part, unless the request names another', async () => {
    const titleOf = async (parts: Body[], options: Body = {}): Promise<string | undefined> =>
      (await PDFDocument.load(pdfBytes(await composed(parts, options)))).getTitle();
    const parts = [html('Cover', '', { cover: true }), html('Terms', '')];
    expect(await titleOf(parts, { contents: true })).toBe('Cover');
    expect(await titleOf(parts.slice(1), { contents: true })).toBe('Terms');
    expect(await titleOf(parts, { metadata: { title: 'Mine' } })).toBe('Mine');
  });

  it('has page numbers through all parts or by part, a watermark, and passwords', async () => {
    const two = `<p>x${pageBreak}y`;
    const parts = [html('Cover', '', { cover: true }), html('Alpha', two), html('Beta', two, { start_on: 'right' })];
    const numbered = async (page_numbers: Body): Promise<string[]> =>
      textsOf(await composed(parts, { page_numbers, contents: true }));
    const through = await numbered({ format: 'No. {page} of {total}' });
    expect(through.map((text) => /No\. .*/.exec(text)?.[0] ?? null)).toEqual([
      null,
      ...[2, 3, 4, 5, 6].map((number) => `No. ${number} of 6`),
    ]);
    expect(through[1]).toContain('Alpha 3 Beta 5');
    const byPart = await numbered({ format: 'No. {page} of {total}', restart_by_part: true });
    expect(byPart.slice(2).map((text) => /No\. .*/.exec(text)?.[0])).toEqual([
      'No. 1 of 2',
      'No. 2 of 2',
      'No. 1 of 2',
      'No. 2 of 2',
    ]);
    const marked = await textsOf(await composed([html('One', ''), html('Two', '')], { watermark: { text: 'DRAFT' } }));
    expect(marked).toEqual(['OneDRAFT', 'TwoDRAFT']);
    const locked = await composed([html('One', '')], { encryption: { user_password: 'secret' } });
    if (isQpdfAvailable) {
      expect((await checkWithQpdf(pdfBytes(locked), 'secret')).isGood).toBe(true);
      expect((await checkWithQpdf(pdfBytes(locked), 'wrong')).isGood).toBe(false);
    }
  });

  it('can be images, or have a thumbnail', async () => {
    const response = await compose([html('One', ''), html('Two', '')], { output: 'png', dpi: 36 });
    expect(response.body).toMatchObject({ content_type: 'application/zip', pages: 2 });
    const withThumbnail = await compose([html('One', '')], { thumbnail: true });
    expect(withThumbnail.body['thumbnail_base64']).toMatch(/^[\w+/]{100}/);
  });

  it('is the same again, and its request and parts are recorded', async () => {
    const response = await compose([html('One', '<p>a'), html('Two', '<p>b')], { contents: true, outline: true });
    const id = String(response.body['id']);
    const verified = await caller.request('POST', `/api/v1/renders/${id}/verify`);
    expect(verified.body).toMatchObject({ matches: true });
    const repeated = await caller.request('POST', `/api/v1/renders/${id}/repeat`);
    expect([repeated.status, repeated.body['pages']]).toEqual([200, 3]);
    const record = await caller.request('GET', `/api/v1/renders/${id}`);
    expect(record.body).toMatchObject({ mode: 'COMPOSE', parts: 2, status: 'DONE', pages: 3 });
    const input = await caller.request('GET', `/api/v1/renders/${id}/input`);
    expect(input.body['parts']).toEqual([html('One', '<p>a'), html('Two', '<p>b')]);
    const list = await caller.request('GET', '/api/v1/renders?mode=COMPOSE&limit=1');
    expect(list.body['renders']).toHaveLength(1);
  });

  it('counts as one render for each part that is made', async () => {
    const { pdf_base64: existing } = await caller.render('html', page('Old', ''));
    const account = await openAccount(at.installation, '--plan', 'enterprise', '--requests-per-month', '4');
    const limited = createClient(at.service.url, (await issueKey(at.installation, account)).key);
    const three = {
      mode: 'COMPOSE',
      parts: [html('1', ''), html('2', ''), html('3', ''), { mode: 'PDF', data: existing }],
    };
    const accepted = await limited.postRender(three);
    expect([accepted.status, accepted.headers.get('x-quota-remaining')]).toEqual([200, '1']);
    const refused = await limited.postRender(three);
    expect([refused.status, refused.body.error]).toEqual([403, 'quota_exceeded']);
    expect(refused.body.message).toContain('counts as 3 renders');
    expect((await limited.convert('html', page('x', ''))).status).toBe(200);
    const usage = await limited.request('GET', '/api/v1/usage');
    expect(usage.body['quota']).toMatchObject({ used: 4, remaining: 0 });
  });
});

describe('A request for a composed document that is wrong', () => {
  it('gets the errors of all parts at once', async () => {
    const response = await compose(
      [
        { mode: 'CONVERT', input_type: 'html' },
        { mode: 'template', template_id: 'tpl_1', data: {} },
        html('x', '', { margin_tp: 3, page_size: 'A44' }),
        { mode: 'PDF', data: 'JVBERi0=', margin_top: 3 },
        { mode: 'PDF', file: 'terms.pdf' },
        { file: 'terms.pdf' },
      ],
      { contnts: true },
    );
    expect(response.status).toBe(400);
    const errors = response.body['errors'] as Body[];
    expect(errors.map((error) => [error['error'], error['field'], error['did_you_mean']])).toEqual([
      ['invalid_request', 'contnts', 'contents'],
      ['missing_data', 'parts[0].data', undefined],
      ['invalid_mode', 'parts[1].mode', 'RENDER'],
      ['invalid_page_size', 'parts[2].page_size', 'A4'],
      ['invalid_request', 'parts[2].margin_tp', 'margin_top'],
      ['invalid_request', 'parts[3].margin_top', undefined],
      ['invalid_request', 'parts[4].file', 'data'],
      ['invalid_request', 'parts[5].file', 'data'],
    ]);
  });

  it.each<[string, Body[], Body, number, Body]>([
    ['no part', [], {}, 400, { error: 'invalid_request', field: 'parts' }],
    [
      'a missing template',
      [html('x', ''), { mode: 'RENDER', template_id: 'tpl_x', data: {} }],
      {},
      422,
      { error: 'template_not_found', field: 'parts[1].template_id' },
    ],
    [
      'a damaged Word document',
      [html('x', ''), { mode: 'CONVERT', input_type: 'docx', data: 'no base64!' }],
      {},
      422,
      { error: 'invalid_docx', field: 'parts[1].data', part: 'parts[1]' },
    ],
    [
      'Markdown with wrong front matter',
      [{ mode: 'CONVERT', input_type: 'markdown', data: '---\nscale: 9\ntoc: x\n---\n' }],
      {},
      422,
      {
        error: 'invalid_markdown',
        field: 'parts[0].data',
        errors: [
          expect.objectContaining({ field: 'parts[0].data' }),
          expect.objectContaining({ field: 'parts[0].data' }),
        ],
      },
    ],
    [
      'page ranges without a page',
      [html('x', ''), html('y', '', { page_ranges: '12' })],
      {},
      422,
      { error: 'conversion_failed', field: 'parts[1].page_ranges' },
    ],
    [
      'a PDF that is no base64',
      [{ mode: 'PDF', data: 'ä' }],
      {},
      400,
      { error: 'invalid_request', field: 'parts[0].data' },
    ],
    [
      'a cover that is not first',
      [html('x', ''), html('y', '', { cover: true })],
      {},
      400,
      { field: 'parts[1].cover' },
    ],
  ])('is refused: %s', async (_, parts, options, status, expected) => {
    const response = await compose(parts, options);
    expect([response.status, response.body]).toEqual([status, expect.objectContaining(expected)]);
  });

  it.each<[string, Body, string]>([
    ['CSV', { mode: 'CONVERT', input_type: 'csv', data: 'a,b\n"c' }, 'conversion_failed'],
    ['a PDF', { mode: 'PDF', data: Buffer.from('not a PDF').toString('base64') }, 'invalid_pdf'],
  ])('names the part that failed and its own error: %s', async (_, part, error) => {
    const response = await compose([html('x', ''), part]);
    expect(response.status).toBe(422);
    expect(response.body).toMatchObject({ error, part: 'parts[1]' });
    expect(response.body.message).toMatch(/^parts\[1\]: /);
  });

  it('names the part that does not conform', async () => {
    const { pdf_base64: existing } = await caller.render('html', page('Old', ''));
    const options = { conformance: ['pdf/a-3b', 'pdf/ua-1'] };
    const picture = '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">';
    const response = await compose([html('x', ''), html('y', picture)], options);
    expect(response.body).toMatchObject({ error: 'conformance_not_met', part: 'parts[1]' });
    expect(response.body['violations']).toEqual([
      expect.objectContaining({ element: expect.stringMatching(/^parts\[1\]: Figure/) as string }),
    ]);
    const pdf = { mode: 'PDF', data: existing };
    const withPdf = await compose([html('x', picture), pdf, pdf], options);
    expect(withPdf.body).toMatchObject({ error: 'conformance_not_met', part: 'parts[1]', total_violations: 2 });
    expect(withPdf.body.message).toMatch(/^parts\[1\]: An existing PDF.*send what the PDF was made of/);
    expect((withPdf.body['violations'] as Body[]).map(({ element }) => element)).toEqual([
      'parts[1]: Document',
      'parts[2]: Document',
    ]);
  });

  it('is refused for more parts, pages or bytes than the plan allows', async () => {
    const clientOf = async (...options: string[]): Promise<ApiClient> => {
      const account = await openAccount(at.installation, '--plan', 'business', ...options);
      return createClient(at.service.url, (await issueKey(at.installation, account)).key);
    };
    const [limited, small] = [await clientOf(), await clientOf('--max-pdf-mb', '0.01')];
    const post = (parts: Body[], client = limited): Promise<ApiResponse> =>
      client.postRender({ mode: 'COMPOSE', parts });
    const short = html('x', '');
    const many = await post(Array.from({ length: 101 }, () => short));
    expect(many.body).toMatchObject({ error: 'invalid_request', field: 'parts' });
    const long = html('x', pageBreak.repeat(60));
    const pages = await post([long, long]);
    expect(pages.body).toMatchObject({ error: 'conversion_failed', part: 'parts[1]', details: { limit: 100 } });
    const large = await post([short, html('y', '<p>other letters'), html('z', '<p>ÄÖÜ')], small);
    expect([large.status, large.body.error]).toEqual([413, 'pdf_too_large']);
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { type ApiClient, type Body, createClient } from '../support/client/api-client.ts';
import { pdfBytes } from '../support/documents/read-pdf.ts';
import { file, postForm, svgOf } from '../support/client/multipart.ts';
import { createTemplateClient } from '../support/client/template-client.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  const account = await openAccount(at.installation, '--requests-per-minute', '100000');
  caller = createClient(at.service.url, (await issueKey(at.installation, account, '--type', 'test')).key);
});

const wide = `<p class="note" style="margin-left:-100px">${'several words '.repeat(20)}`;
const html = (data: string): Body => ({ mode: 'CONVERT', input_type: 'html', data });

describe('The warnings of a composed document', () => {
  it('name the part, and the page of the whole', async () => {
    const { id } = await createTemplateClient(caller).create('<p>{{x}}', {
      default_options: { watermark: { text: 'DRAFT' }, page_size: 'A5' },
    });
    const parts = [
      html('<h1>One</h1><p style="break-before: page">two'),
      html(wide),
      { mode: 'RENDER', template_id: id, data: { x: 1 } },
    ];
    const { body } = await caller.postRender({ mode: 'COMPOSE', parts, start_on: 'right' });
    expect(body['warnings']).toEqual([
      expect.objectContaining({ type: 'content_overflow', part: 'parts[1]', element: 'p.note', page: 3, side: 'left' }),
      expect.objectContaining({ type: 'option_ignored', part: 'parts[2]', option: 'watermark' }),
    ]);
    expect((body['warnings'] as Body[]).map(({ message }) => message)).toEqual([
      expect.stringMatching(/^parts\[1\]: The content of p\.note .* of page 3\.$/),
      expect.stringMatching(/^parts\[2\]: The option watermark was ignored\./),
    ]);
  });

  it('name links to parts that the document does not have, once each', async () => {
    const parts = [
      html('<a href="part:1">there</a> <a href="part:2">nowhere</a> <a href="part:2">nowhere</a>'),
      html(
        '<a href="part:9#prices">nowhere</a> <a href="part:0#none">the first page</a> <a href="https://a.example">out</a>',
      ),
    ];
    const { body } = await caller.postRender({ mode: 'COMPOSE', parts, contents: { title: 'Contents' } });
    expect(body['warnings']).toEqual([
      {
        type: 'link_broken',
        part: 'parts[0]',
        link: 'part:2',
        message: 'parts[0]: The link part:2 goes nowhere, because the document has no such part. Parts count from 0.',
      },
      expect.objectContaining({ type: 'link_broken', part: 'parts[1]', link: 'part:9#prices' }),
    ]);
    const pdf = pdfBytes(String(body['pdf_base64'])).toString('latin1');
    expect([pdf.includes('a.example'), pdf.includes('part:')]).toEqual([true, false]);
  });

  it('name what has no effect once, with the first part that has it', async () => {
    const part = { mode: 'CONVERT', input_type: 'html', data: '<p>x' };
    const footed = { ...part, footer_html: '<i class="totalPages"></i>' };
    const { body } = await caller.postRender({ mode: 'COMPOSE', parts: [part, footed, footed] });
    expect(body['warnings']).toEqual([
      expect.objectContaining({ feature: 'class="totalPages" in footer_html', part: 'parts[1]' }),
    ]);
  });

  it('name a link that has no number of a part, and leave room for other warnings', async () => {
    const links = Array.from({ length: 60 }, (_, index) => `<a href="part:terms-${index}">nowhere</a> `);
    const watermark = { text: 'DRAFT', pages: '9' };
    const { body } = await caller.postRender({ mode: 'COMPOSE', parts: [html(links.join(''))], watermark });
    const warnings = body['warnings'] as Body[];
    expect(warnings).toHaveLength(50);
    expect(warnings.slice(0, 2)).toEqual([
      expect.objectContaining({ type: 'option_ignored', option: 'watermark.pages' }),
      expect.objectContaining({ type: 'link_broken', link: 'part:terms-0' }),
    ]);
  });

  it('name an asset only if no part uses it', async () => {
    const { body } = await postForm(caller, [
      ['parts', JSON.stringify([html('<img src="a.svg">'), html('<p>x'), html('<p style="background: url(b.svg)">y')])],
      ['assets', file('a.svg', svgOf('red'))],
      ['assets', file('b.svg', svgOf('blue'))],
      ['assets', file('c.svg', svgOf('green'))],
    ]);
    expect(body['warnings']).toEqual([expect.objectContaining({ type: 'asset_unused', name: 'c.svg' })]);
  });
});

describe('The diagnosis of a composed document', () => {
  it('has the render mode of the part that needs most of the browser, and names it', async () => {
    const parts = [html('<p>x'), html('<p id="p"><script>p.textContent = "set"</script>'), html('<p>y')];
    const response = await caller.request('POST', '/api/v1/render?diagnostics=true', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mode: 'COMPOSE', parts }),
    });
    expect(response.body['diagnostics'], response.text.slice(0, 300)).toMatchObject({
      render_mode: 'scripted',
      render_mode_reason: expect.stringMatching(/^parts\[1\]: /) as string,
      same_bytes: true,
    });
  });
});

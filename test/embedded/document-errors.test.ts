import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiResponse, type Body, type ApiClient, createClient } from '../support/client/api-client.ts';
import { readRenderEvents } from '../support/service/render-events.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { sampleDocument } from '../support/documents/sample-documents.ts';
import { reachableHost } from '../support/environment.ts';
import { sharedService } from '../support/service/for-test-file.ts';

// Accepts connections and never responds.
const silent = createServer(() => undefined);
const silentUrl = (): string => `http://${reachableHost}:${(silent.address() as AddressInfo).port}`;
const at = sharedService();
let caller: ApiClient;
let endless: Promise<ApiResponse>;
beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, reachableHost, resolve));
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
  // Needs half a minute to fail, so it begins before everything else.
  endless = caller.convert('html', `<p>x<img src="${silentUrl()}/never.png">`);
});
afterAll(() => silent.close().closeAllConnections());

const refused = async (inputType: string, data: unknown, options: Body = {}) =>
  caller.convert(inputType, data, options);

describe('A document that would lose content is rejected', () => {
  it.each([
    ['a tag', '<p>one\n<p class="two', 2],
    ['a comment', '<p>one\n\n<!-- two', 3],
    ['a script', '<p>one<script>\nlet x = 1', 1],
    ['a style sheet', '<style>p { }', 1],
    ['a title', '\n\n<title>x', 3],
    ['a text area', '<p>\n<textarea>x', 2],
    ['an attribute', '<p>one\n<a href="x>two</a>', 2],
  ])('if it is HTML that ends inside %s, with the line', async (_, html, line) => {
    const { details } = expectErrorResponse(await refused('html', html), 'invalid_html', { line });
    expect(details).toEqual(expect.any(String));
  });

  it('if it is HTML with a NUL character, or not UTF-8', async () => {
    expectErrorResponse(await refused('html', '<p>\n\u0000'), 'invalid_html', { line: 2 });
    expectErrorResponse(
      await refused('html', `data:text/html;base64,${Buffer.from([0x3c, 0x70, 0x3e, 0xe9, 0x20]).toString('base64')}`),
      'invalid_html',
      { line: 1 },
    );
  });

  it.each([
    ['an open code fence', '# x\n\n```js\nlet x = 1', 3],
    ['an open comment', 'x\n\n<!-- y', 3],
    ['a NUL character', 'x\n\u0000', 2],
  ])('if it is Markdown with %s, with the line', async (_, markdown, line) => {
    expectErrorResponse(await refused('markdown', markdown), 'invalid_markdown', { field: 'data', line });
  });
});

describe('A damaged document is rejected:', () => {
  it.each([
    ['text that is not base64', 'this is no base64!', {}],
    ['data that is not a ZIP', Buffer.from('no zip at all, but long enough').toString('base64'), {}],
    ['a ZIP without a document', 'UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==', {}],
    [
      'half a Word document',
      Buffer.from(Buffer.from(sampleDocument('agreement.docx'), 'base64').subarray(0, 6000)).toString('base64'),
      {},
    ],
  ])('DOCX: %s', async (_, data, fields) => {
    const { details } = expectErrorResponse(await refused('docx', data), 'invalid_docx', { field: 'data', ...fields });
    expect(details).toBeDefined();
  });

  it.each([
    ['csv', 'a,b\n1,2\n"3,4', 3],
    ['csv', 'a,b\n1,2\n1,2,3', 3],
    ['json', '{"a": 1,\n"b": }', 2],
    ['json', '[1, 2', 1],
    ['xml', '<a>\n<b></a>', 2],
    ['xml', '<a>\n&nbsp;</a>', 2],
    ['xml', 'text', 1],
  ])('%s: %j, with the line', async (inputType, data, line) => {
    const { details } = expectErrorResponse(await refused(inputType, data), 'conversion_failed', {
      field: 'data',
      line,
    });
    expect(details).toBeDefined();
  });
});

describe('A document over a limit is rejected', () => {
  it('with more than 100 pages', async () => {
    const html = '<p style="break-after:page">x'.repeat(101);
    expectErrorResponse(await refused('html', html), 'conversion_failed', { details: { pages: 101, limit: 100 } });
    expect((await caller.render('html', '<p style="break-after:page">x'.repeat(99) + '<p>x')).pages).toBe(100);
  });

  it('with more than 50 different external images', async () => {
    const images = (count: number, different: boolean) =>
      Array.from({ length: count }, (_, i) => `<img src="http://${reachableHost}:9/${different ? i : 0}.png">`).join(
        '',
      );
    const { details } = expectErrorResponse(await refused('html', images(51, true)), 'conversion_failed');
    expect(details).toMatchObject({ limit: 50 });
    expectErrorResponse(await refused('html', images(60, false)), 'image_load_failed');
  });

  it('with a PDF larger than the plan allows', async () => {
    const small = createClient(at.service.url, await createUnlimitedKey(at.installation, '--max-pdf-mb', '0.01'));
    const text = Array.from({ length: 3000 }, (_, i) => `<span>${(i * 7919).toString(36)} </span>`).join('');
    const { generated_size_mb: size } = expectErrorResponse(await small.convert('html', text), 'pdf_too_large', {
      max_size_mb: 0.01,
    });
    expect(size).toBeGreaterThan(0.01);
    expect((await small.convert('html', '<p>x')).status).toBe(200);
  });

  it('when it takes more than 30 seconds', async () => {
    expectErrorResponse(await endless, 'processing_timeout', { timeout_seconds: 30 });
  });
});

describe('A render that failed', () => {
  it('has its id in the error, and the event log has the same error', async () => {
    const { body } = await refused('html', '<p');
    expect(body.render_id).toMatch(/^render_[0-9A-Z]{26}$/);
    const events = await readRenderEvents(at.installation, body.render_id);
    expect(events.map(({ type }) => type)).toEqual(['RenderRequested', 'RenderStarted', 'RenderFailed']);
    expect(events[2]!.data.error).toMatchObject({ name: 'invalid_html', message: body.message });
  });
});

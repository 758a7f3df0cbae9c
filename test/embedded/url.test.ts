import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey, issueKey, openAccount } from '../support/service/accounts.ts';
import { type Body, type ApiClient, createClient } from '../support/client/api-client.ts';
import { createJobClient, type QueuedResult } from '../support/client/job-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { readLinks, readPdf } from '../support/documents/read-pdf.ts';
import { readRenderEvents } from '../support/service/render-events.ts';
import { readStoredText } from '../support/service/stored-text.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { waitUntil } from '../support/wait-until.ts';

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const article =
  '<title>Article</title><p>article <a href="#end">to the end</a> <a href="/next?a=b">next</a>' +
  '<p id="end" style="break-before:page">end';
type Seen = { path: string; authorization: string; cookie: string };
const seen: Seen[] = [];
let visits = 0;
const site: Server = createServer(({ url = '', headers }, response) => {
  const { pathname } = new URL(url, 'http://site.test');
  seen.push({ path: pathname, authorization: String(headers.authorization), cookie: String(headers.cookie) });
  const html = (text: string): unknown => response.setHeader('content-type', 'text/html').end(text);
  if (pathname.endsWith('.png')) return response.setHeader('content-type', 'image/png').end(picture);
  if (pathname.endsWith('.css'))
    return response.setHeader('content-type', 'text/css').end('p::before{content:"styled "}');
  if (pathname === '/article') return html(article);
  if (pathname === '/visits') return html(`<p>visit ${(visits += 1)}<script>console.log(location.href)</script>`);
  if (pathname === '/private' && headers.authorization !== 'Bearer canary-4711')
    return response.writeHead(401).end('no');
  if (pathname === '/private')
    return html(`<p>members only</p><img src="/missing?of=canary-url-1"><script>console.log(location.href)</script>`);
  if (pathname === '/many') return html(Array.from({ length: 51 }, (_, index) => `<img src="/${index}.png">`).join(''));
  // Frames without end: the first frame of each page has more. The others get no response, so that a busy machine loads less.
  if (/^\/itself(?:\/0)*$/.test(pathname))
    return html(Array.from({ length: 201 }, (_, index) => `<iframe src="${pathname}/${index}"></iframe>`).join(''));
  if (pathname.startsWith('/itself/')) return undefined;
  if (pathname === '/gone-later') return (visits += 1) % 2 === 1 ? html('<p>here') : response.writeHead(410).end();
  return response.writeHead(404).end();
});
const port = (): number => (site.address() as AddressInfo).port;
const onSite = (path: string): string => `http://127.0.0.1:${port()}${path}`;

const at = serviceForTestFile(async () => {
  await new Promise<void>((resolve) => site.listen(0, '0.0.0.0', resolve));
  return { COLOPHON_EGRESS_ALLOW: `127.0.0.1:${port()}` };
});
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});
afterAll(() => {
  site.close().closeAllConnections();
});

const eventOf = async (id: unknown, type: string): Promise<Body> =>
  (await readRenderEvents(at.installation, id)).find((event) => event.type === type)!.data;

const secretsErased = (id: unknown): Promise<unknown> =>
  waitUntil('the secrets are erased', async () =>
    (await readRenderEvents(at.installation, id)).some(({ type }) => type === 'PageSecretsErased'),
  );

describe('The page at a URL', () => {
  it('becomes a PDF, and links to places in it stay links to places in the PDF', async () => {
    const { id, pdf_base64: pdf, pages } = await caller.render('url', onSite('/article'));
    expect([pages, (await readPdf(pdf))[0]!.text]).toEqual([2, expect.stringContaining('article')]);
    expect(await readLinks(pdf)).toEqual([{ place: 'end' }, { url: onSite('/next?a=b') }]);
    expect(await eventOf(id, 'RenderCompleted')).toMatchObject({
      input: 'url',
      renderMode: 'animated',
      warnings: [],
      page: { url: onSite('/article'), status: 200 },
    });
  });

  it('that has an error status or is not public is an error with the reason', async () => {
    for (const [path, reason, status] of [
      [onSite('/nothing?token=canary-url-2'), 'the server responded with 404', 404],
      [`http://127.0.0.2:${port()}/article`, '127.0.0.2 is not a public address.', undefined],
      ['https://inside.localhost/', 'The host inside.localhost does not exist or has no public address.', undefined],
    ] as const) {
      const response = await caller.convert('url', path);
      const body = expectErrorResponse(response, 'url_load_failed', { reason: expect.stringContaining(reason) });
      expect(body.status).toBe(status);
      expect(response.text).not.toContain('canary');
    }
  });

  it('may have as many images as the plan allows', async () => {
    const { key } = await issueKey(at.installation, await openAccount(at.installation, '--plan', 'free'));
    const response = await createClient(at.service.url, key).convert('url', onSite('/many'));
    expectErrorResponse(response, 'conversion_failed', { details: { images: 51, limit: 50 } });
    const unlimited = await createUnlimitedKey(at.installation, '--plan', 'enterprise');
    expect((await createClient(at.service.url, unlimited).render('url', onSite('/many'))).pages).toBe(1);
  });

  it('does not include itself without end', async () => {
    // The time limits of other plans can end it first on a busy machine.
    const client = createClient(at.service.url, await createUnlimitedKey(at.installation, '--plan', 'enterprise'));
    expectErrorResponse(await client.convert('url', onSite('/itself')), 'conversion_failed', {
      details: { frames: 201, limit: 200 },
    });
  });

  it('is refused before it is loaded if the request is wrong', async () => {
    for (const [data, options, field] of [
      ['ftp://example.com/', {}, 'data'],
      ['example.com', {}, 'data'],
      ['https://user:password@example.com/', {}, 'data'],
      [`https://example.com/${'a'.repeat(2048)}`, {}, 'data'],
      ['x'.repeat(100_000), {}, 'data'],
      [{ url: 'https://example.com/' }, {}, 'data'],
      ['https://example.com/?token=***', {}, 'data'],
      [onSite('/article'), { base_url: onSite('/') }, 'base_url'],
      [onSite('/article'), { url_headers: { Cookie: 'a=b' } }, 'url_headers.Cookie'],
      [onSite('/article'), { url_headers: { Host: 'x' } }, 'url_headers.Host'],
      [onSite('/article'), { url_headers: { 'X-A': '***' } }, 'url_headers.X-A'],
      [onSite('/article'), { url_cookies: [{ name: 'a b', value: 'c' }] }, 'url_cookies[0].name'],
      [onSite('/article'), { url_cookies: [{ name: 'a', value: 'c;d' }] }, 'url_cookies[0].value'],
      [onSite('/article'), { url_cookies: [{ name: 'a', value: 'b', path: 'c' }] }, 'url_cookies[0].path'],
      [onSite('/article'), { url_cookies: ['b', 'c'].map((value) => ({ name: 'a', value })) }, 'url_cookies[1].name'],
      [onSite('/article'), { wait_for_selector: 'p[' }, 'wait_for_selector'],
    ] as const)
      expectErrorResponse(await caller.convert('url', data, options), 'invalid_request', { field });
    for (const [options, field] of [
      [{ url_headers: { 'X-A': 'b' } }, 'url_headers'],
      [{ url_cookies: [] }, 'url_cookies'],
      [{ base_url: 'file:///etc/' }, 'base_url'],
    ] as const)
      expectErrorResponse(await caller.convert('html', '<p>x', options), 'invalid_request', { field });
  });
});

describe('Headers and cookies for a page', () => {
  const secrets = {
    url_headers: { Authorization: 'Bearer canary-4711' },
    url_cookies: [{ name: 'session', value: 'canary-0815', path: '/private' }],
  };
  const pageUrl = (): string => onSite('/private?token=canary-url-1');
  const masked = (): string => onSite('/private?token=***');

  it('are sent to it, masked in its history, and erased when the render has ended', async () => {
    const { id, pdf_base64: pdf, warnings } = await caller.render('url', pageUrl(), secrets);
    expect((await readPdf(pdf))[0]!.text.trim()).toBe('members only');
    expect(warnings).toMatchObject([{ type: 'resource_failed', url: onSite('/missing?of=***') }]);
    expect(seen.findLast(({ path }) => path === '/private')).toEqual({
      path: '/private',
      authorization: 'Bearer canary-4711',
      cookie: 'session=canary-0815',
    });
    expect(seen.find(({ path }) => path === '/missing')).toMatchObject({ cookie: 'undefined' });

    await secretsErased(id);
    const { source } = (await eventOf(id, 'RenderRequested')) as { source: { page: Body & { sealed: Body } } };
    expect(source.page).toMatchObject({
      url: masked(),
      headers: { Authorization: '***' },
      cookies: { session: '***' },
    });
    expect(await eventOf(id, 'PageSecretsErased')).toEqual({ sha256: source.page.sealed.sha256 });
    const isStored = await withInstallationEngines(at.installation, ({ blobs }) =>
      blobs.has(String(source.page.sealed.sha256)),
    );
    expect(isStored).toBe(false);
    expect(await eventOf(id, 'RenderCompleted')).toMatchObject({ page: { url: masked(), status: 200 } });
    expect(JSON.stringify(await readRenderEvents(at.installation, id))).not.toContain('canary');
    expect((await readStoredText(at.installation)).join('\n')).not.toMatch(/canary-(?!url)/);
    expect(at.service.output()).not.toContain('canary');
  });

  it('are needed again by diagnostics, by verify and by a repeated request', async () => {
    const jobs = createJobClient(caller);
    const request = { mode: 'CONVERT', input_type: 'url', data: pageUrl(), ...secrets };
    const queued = (await jobs.postJson('/api/v1/render/async', request)).body as unknown as QueuedResult;
    await jobs.waitUntilEnded(queued.job_id);
    expect(await jobs.get(queued.job_id)).toMatchObject({ status: 'DONE', input_type: 'url', url: masked() });
    const { body } = await caller.request('GET', `/api/v1/jobs/${queued.job_id}?diagnostics=true`);
    expect(body.diagnostics).toMatchObject({ error: 'render_secrets_erased', page: { url: masked(), status: 200 } });
    const verified = await at.installation.runCommand('verify', queued.id);
    expect([verified.code, verified.stdout + verified.stderr]).toEqual([
      2,
      expect.stringContaining('its url_headers and url_cookies were erased when the render ended'),
    ]);

    const headers = { 'idempotency-key': 'page' };
    expect((await jobs.postJson('/api/v1/render', request, headers)).status).toBe(200);
    expectErrorResponse(await jobs.postJson('/api/v1/render', request, headers), 'render_secrets_erased', {
      missing_fields: ['url_headers', 'url_cookies'],
    });
  });

  it('do not get into the error of a page that cannot be loaded', async () => {
    const wrong = { ...secrets, url_headers: { Authorization: 'Bearer canary-4712' } };
    const response = await caller.convert('url', pageUrl(), wrong);
    const { render_id: id } = expectErrorResponse(response, 'url_load_failed', { url: masked(), status: 401 });
    expect(response.text).not.toContain('canary');
    await secretsErased(id);
    expect(JSON.stringify(await readRenderEvents(at.installation, id))).not.toContain('canary');
  });
});

describe('A page that changes', () => {
  it('is not reported as damage by verify and diagnostics', async () => {
    const masked = onSite('/visits?token=***');
    const { id } = await caller.render('url', onSite('/visits?token=canary-url-3'));
    const { code, stdout } = await at.installation.runCommand('verify', id);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Other bytes do not mean damage.')]);
    expect(await at.installation.runJsonCommand('verify', id)).toMatchObject({
      same: false,
      recorded_page: { url: masked, status: 200 },
      page: { url: masked, status: 200 },
    });
    const { body } = await caller.request('GET', `/api/v1/jobs/${id.replace('render_', 'job_')}?diagnostics=true`);
    const { diagnostics } = body as { diagnostics: Body };
    expect(diagnostics).toMatchObject({
      same_bytes: false,
      page: { url: masked },
      page_now: { url: masked, status: 200 },
    });
    expect(JSON.stringify(diagnostics)).not.toContain('canary');
    expect(diagnostics.console).toEqual([{ level: 'info', text: expect.stringContaining('***') }]);
  });

  it('has no secrets of its URL in the diagnostics of a composed document', async () => {
    const part = { mode: 'CONVERT', input_type: 'url', data: onSite('/visits?token=canary-url-5') };
    const composed = await caller.postRender({ mode: 'COMPOSE', parts: [part] });
    const job = String(composed.body['id']).replace('render_', 'job_');
    const { body, text } = await caller.request('GET', `/api/v1/jobs/${job}?diagnostics=true`);
    expect(body).toMatchObject({ diagnostics: { console: [{ text: expect.stringContaining('***') as string }] } });
    expect(text).not.toContain('canary');
  });

  it('or is gone is named by verify', async () => {
    visits = 0;
    const { id } = await caller.render('url', onSite('/gone-later'));
    const { code, stdout, stderr } = await at.installation.runCommand('verify', id);
    expect([code, stdout + stderr]).toEqual([2, expect.stringContaining('the server responded with 410')]);
  });
});

describe('base_url', () => {
  const html =
    '<!doctype html><html lang="en"><head><link rel="stylesheet" href="a.css"></head><p>text<img ' +
    'src="pictures/b.png"><a href="#end">down</a> <a href="c.html">on</a><p id="end" style="break-before:page">end';

  it('resolves relative URLs, and links to places in the document stay such links', async () => {
    const { id, pdf_base64: pdf } = await caller.render('html', html, { base_url: onSite('/folder/page.html') });
    expect((await readPdf(pdf))[0]!.text).toContain('styled text');
    expect(await readLinks(pdf)).toEqual([{ place: 'end' }, { url: onSite('/folder/c.html') }]);
    expect(seen.map(({ path }) => path)).toEqual(expect.arrayContaining(['/folder/a.css', '/folder/pictures/b.png']));
    expect(await eventOf(id, 'RenderRequested')).toMatchObject({ options: { base_url: onSite('/folder/page.html') } });
  });

  it('has lower priority than a base element of the document', async () => {
    const own = html.replace('<head>', `<head><base href="${onSite('/own/')}">`);
    const { pdf_base64: pdf } = await caller.render('html', own, { base_url: onSite('/folder/') });
    expect(await readLinks(pdf)).toEqual([{ place: 'end' }, { url: onSite('/own/c.html') }]);
  });

  it('also holds for Markdown and templates', async () => {
    const markdown = '# Title\n\n![x](md/d.png) [down](#title) [on](e.html)\n';
    const { pdf_base64: pdf } = await caller.render('markdown', markdown, { base_url: onSite('/docs/') });
    expect(await readLinks(pdf)).toEqual([{ place: 'title' }, { url: onSite('/docs/e.html') }]);
    const jobs = createJobClient(caller);
    const created = await jobs.postJson('/api/v1/templates', {
      name: 'with a base',
      content: '<p>{{x}}<img src="f.png">',
      default_options: { base_url: onSite('/templates/'), wait_for_selector: 'p' },
    });
    const rendered = await caller.postRender({ mode: 'RENDER', template_id: created.body.id, data: { x: 1 } });
    expect(rendered.status, rendered.text.slice(0, 300)).toBe(200);
    expect(seen.map(({ path }) => path)).toEqual(expect.arrayContaining(['/docs/md/d.png', '/templates/f.png']));
    expectErrorResponse(
      await jobs.postJson('/api/v1/templates', {
        name: 'with a wrong selector',
        content: 'x',
        default_options: { wait_for_selector: 'p[' },
      }),
      'invalid_request',
      { field: 'default_options.wait_for_selector' },
    );
  });

  it('is needed by relative images, which are counted', async () => {
    const images = Array.from({ length: 51 }, (_, index) => `<img src="${index}.png">`).join('');
    expectErrorResponse(await caller.convert('html', images), 'image_load_failed');
    const { key } = await issueKey(at.installation, await openAccount(at.installation, '--plan', 'free'));
    expectErrorResponse(
      await createClient(at.service.url, key).convert('html', images, { base_url: onSite('/') }),
      'conversion_failed',
      { details: { images: 51, limit: 50 } },
    );
  });
});

it('wait_for_selector that matches nothing is an error with the selector', async () => {
  const selector = '.never';
  expectErrorResponse(await caller.convert('html', '<p>x', { wait_for_selector: selector }), 'selector_not_found', {
    wait_for_selector: selector,
  });
});

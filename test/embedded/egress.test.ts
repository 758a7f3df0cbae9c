import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type Body, type ApiClient, createClient } from '../support/client/api-client.ts';
import { readRenderEvents } from '../support/service/render-events.ts';
import { findTextRun, readPdf } from '../support/documents/read-pdf.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { reachableHost } from '../support/environment.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const seen: string[] = [];
const held: (() => void)[] = [];
const site = createServer((request, response) => {
  seen.push(request.url ?? '');
  if (request.url === '/held.png')
    return void held.push(() => response.writeHead(200, { 'content-type': 'image/png' }).end(picture));
  if (request.url?.endsWith('.png')) return response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
  if (request.url === '/page.css')
    return response.writeHead(200, { 'content-type': 'text/css' }).end('p::before { content: "styled " }');
  if (request.url === '/paper.css')
    return response
      .writeHead(200, { 'content-type': 'text/css' })
      .end('@page { size: A5; margin: 30mm 10mm } @page :first { margin-top: 5mm }');
  if (request.url === '/away') return response.writeHead(302, { location: `http://127.0.0.2:${port()}/a.png` }).end();
  if (request.url === '/text') return response.writeHead(200, { 'content-type': 'text/html' }).end('<p>no picture');
  return response.writeHead(404).end();
});
const port = (): number => (site.address() as AddressInfo).port;
const allowed = (path: string): string => `http://${reachableHost}:${port()}${path}`;
const forbidden = (path: string): string => `http://127.0.0.2:${port()}${path}`;

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '0.0.0.0', resolve));
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});
afterAll(() => site.close().closeAllConnections());

const completed = async (id: string): Promise<Body> => (await readRenderEvents(at.installation, id)).at(-1)!.data;

describe('A resource of a document', () => {
  it('is loaded from hosts that the operator allows', async () => {
    const rendered = await caller.render(
      'html',
      `<p>x<img src="${allowed('/shown.png')}"><link rel="stylesheet" href="${allowed('/page.css')}">`,
    );
    expect(seen).toContain('/shown.png');
    expect(await completed(rendered.id)).toMatchObject({ warnings: [], renderMode: 'static' });
    expect((await readPdf(rendered.pdf_base64))[0]!.text.trim()).toBe('styled x');
  });

  it('may set the page size and margins, which grow for the header', async () => {
    const html = `<link rel="stylesheet" href="${allowed('/paper.css')}"><p>FIRST<p style="break-before:page">SECOND`;
    const options = { prefer_css_page_size: true, header_html: '<div style="height:20mm">HEAD</div>' };
    const pages = await caller.renderedPages('html', html, options);
    expect(pages.map(({ width, height }) => [Math.round(width), Math.round(height)])).toEqual([
      [148, 210],
      [148, 210],
    ]);
    const tops = ['FIRST', 'SECOND'].map((text, index) => findTextRun(pages[index]!, text).top);
    expect(tops[0]).toBeGreaterThan(20);
    expect(tops[0]).toBeLessThan(30);
    expect(tops[1]).toBeGreaterThan(30);
    expect(tops[1]).toBeLessThan(40);
    expect(findTextRun(pages[0]!, 'HEAD').left).toBeCloseTo(10, 0);
  });

  it('is also loaded into the header', async () => {
    await caller.render('html', '<p>x', { header_html: `<img src="${allowed('/header.png')}">` });
    expect(seen).toContain('/header.png');
  });

  it.each([
    ['html', (url: string) => `<img src="${url}">`],
    ['html', (url: string) => `<div style="background-image:url(${url})">x</div>`],
    [
      'html',
      (url: string) =>
        `<p>x</p><script>document.body.append(Object.assign(new Image(), { src: ${JSON.stringify(url)} }))</script>`,
    ],
    ['markdown', (url: string) => `![x](${url})`],
  ])('is never loaded from this machine: %s is rejected with the reason (%#)', async (inputType, documentWith) => {
    const url = forbidden(`/secret-${Math.random()}.png`);
    const { reason } = expectErrorResponse(await caller.convert(inputType, documentWith(url)), 'image_load_failed', {
      image_url: url,
    });
    expect(reason).toBe('127.0.0.2 is not a public address.');
    expect(seen.filter((path) => path.startsWith('/secret'))).toEqual([]);
  });

  it('is not loaded from this machine by a redirect, a name or another spelling of the address', async () => {
    for (const url of [
      allowed('/away'),
      `http://localhost:${port()}/a.png`,
      `http://2130706434:${port()}/b.png`,
      `http://[::ffff:127.0.0.2]:${port()}/c.png`,
      `http://169.254.169.254/d.png`,
    ]) {
      const { reason } = expectErrorResponse(await caller.convert('html', `<img src="${url}">`), 'image_load_failed');
      expect(reason).toMatch(/is not a public address\.$|does not exist or has no public address\.$/);
    }
    expect(seen.filter((path) => /^\/[abcd]\.png/.test(path))).toEqual([]);
  });

  it('has the same error for a name with a private address and a name that does not exist', async () => {
    const reasonsFor = async (host: string): Promise<unknown[]> => {
      const ofImages = await Promise.all(
        ['http', 'https'].map(
          async (scheme) =>
            expectErrorResponse(
              await caller.convert('html', `<img src="${scheme}://${host}/a.png">`),
              'image_load_failed',
            ).reason,
        ),
      );
      const { id } = await caller.render(
        'html',
        `<p>x</p><link rel="stylesheet" href="https://${host}/x.css"><iframe src="http://${host}/"></iframe>`,
      );
      const { warnings } = (await completed(id)) as { warnings: { reason: string }[] };
      return [...ofImages, ...warnings.map(({ reason }) => reason)].map((reason) =>
        String(reason).replaceAll(host, 'HOST'),
      );
    };
    const [inside, nowhere] = await Promise.all([reasonsFor('inside.localhost'), reasonsFor('nowhere.invalid')]);
    expect(new Set(inside)).toEqual(new Set(['The host HOST does not exist or has no public address.']));
    expect(inside).toEqual(nowhere);
  });

  it('fails the document if it is an image that is missing or not an image file', async () => {
    expectErrorResponse(await caller.convert('html', `<img src="${allowed('/missing')}">`), 'image_load_failed', {
      reason: 'the server responded with 404',
    });
    expectErrorResponse(await caller.convert('html', `<img src="${allowed('/text')}">`), 'image_load_failed', {
      reason: 'the response is not an image',
    });
  });

  it('that fails is only a warning if it is not an image', async () => {
    const { id, warnings } = await caller.render(
      'html',
      `<p>x</p><link rel="stylesheet" href="${forbidden('/x.css')}">`,
    );
    const failed = { url: forbidden('/x.css'), reason: '127.0.0.2 is not a public address.' };
    expect(warnings).toEqual([{ type: 'resource_failed', message: expect.stringContaining(failed.url), ...failed }]);
    expect(await completed(id)).toMatchObject({ warnings: [{ kind: 'resource_failed', ...failed }] });
  });

  it('cannot be a local file', async () => {
    for (const html of [
      '<iframe src="file:///etc/passwd"></iframe>',
      '<object data="file:///etc/passwd"></object>',
      '<script>fetch("file:///etc/passwd").then((r) => r.text()).then((t) => document.write(t)).catch(() => {})</script>',
    ]) {
      const { status, body } = await caller.convert('html', `<p>x</p>${html}`, { wait_time: 300 });
      const pages = status === 200 ? await readPdf(String(body.pdf_base64)) : [];
      expect([status < 500, pages.some(({ text }) => text.includes('root:'))]).toEqual([true, false]);
    }
  });

  it('delays the document with wait_for load, but not with domcontentloaded', async () => {
    const html = `<p>x</p><img src="${allowed('/held.png')}">`;
    await caller.render('html', html, { wait_for: 'domcontentloaded' });
    const rendering = caller.render('html', html, { wait_for: 'load' });
    const release = setInterval(() => held.splice(0).forEach((send) => send()), 50);
    expect((await rendering).status).toBe('DONE');
    clearInterval(release);
  });
});

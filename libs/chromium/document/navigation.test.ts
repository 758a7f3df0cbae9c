import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openEgress, type Egress } from '#libs/egress/egress.ts';
import { pageClassification } from '#libs/documents/html/classify.ts';
import type { PageToLoad, PrintRequest } from '../print-request.ts';
import type { Printer, PrintResult } from '../printer.ts';
import { apiErrorFieldsOf, openTestPrinter, readPdf, requestFor, silentLogger } from '../testing/printing.ts';

const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
/** Pages by path, as HTML. */
const pages: Record<string, () => string> = {
  '/page': () => '<title>The page</title><p>the page</p>',
  '/refresh': () => '<meta http-equiv="refresh" content="0;url=/page">wait',
  '/soon-refresh': () => '<meta http-equiv="refresh" content="1;url=/page">wait',
  '/much-later-refresh': () => '<meta http-equiv="refresh" content="60;url=/page">not redirected',
  '/late-refresh': () => '<meta http-equiv="refresh" content="2;url=/page">not redirected',
  '/script': () => '<script>location.replace("/page")</script>wait',
  '/onload': () => `<body onload="location.href='${other()}/page'">wait`,
  '/form': () => '<form method="post" action="/page"></form><script>document.forms[0].submit()</script>',
  '/fragment': () => '<p>stays<script>location.hash = "here"; history.pushState({}, "", "/pushed")</script>',
  '/download-later': () => '<p>stays<script>location.href = "/download"</script>',
  '/to-missing': () => '<script>location.href = "/missing"</script>',
  '/to-private': () => `<script>location.href = "http://127.0.0.2:${portOf(first)}/page"</script>`,
  '/to-odd-host': () => '<script>location.href = "http://a b.invalid/"</script>',
  '/to-blank': () => '<script>location.href = "about:blank"</script>',
  '/loop': () => '<script>location.href = "/loop?" + Math.random()</script>',
  '/empty': () => '<!doctype html><title>x</title><script>1</script>',
  '/many-images': () => Array.from({ length: 4 }, (_, index) => `<img src="/${index}.png">`).join(''),
  '/no-image': () => '<p>still printed</p><img src="/missing">',
  '/later': () => '<p>x<script>setTimeout(() => (document.body.innerHTML += "<b id=done>ready</b>"), 150)</script>',
  '/stops': () => '<p>stays<script>window.stop()</script>',
  '/leaves-late': () =>
    '<p style="break-after:page">x</p>'.repeat(199) +
    '<p>x<script>onbeforeprint = () => (location.href = "/page")</script>',
  '/mixed': () =>
    `<p>mixed<img src="/own.png"><img src="/moved.png"><img src="${other()}/theirs.png">` +
    `<iframe src="${other()}/frame"></iframe><iframe src="/own-frame"></iframe>` +
    `<script>fetch("${other()}/fetched").catch(() => {})</script>`,
  '/to-far': () => `<script>location.href = "${far()}/far"</script>`,
  '/far': () => '<p id="p">far<script>p.append(` ${innerWidth} ${matchMedia("print").matches}`)</script>',
  '/to-endless': () => `<script>location.href = "${far()}/endless"</script>`,
  '/endless': () => '<script>for (;;);</script>',
  '/frame': () =>
    `<img src="/in-frame.png"><img src="${base()}/asked-by-frame.png">` +
    `<iframe srcdoc='<img src="${base()}/asked-by-inner-frame.png">'></iframe>`,
  '/own-frame': () => `<iframe srcdoc='<img src="${base()}/own-inner.png">'></iframe>`,
  '/asks-back': () => `<p>theirs<img src="${base()}/asked-back.png">`,
};
const types: Record<string, string> = {
  '/plain': 'text/plain',
  '/tree': 'application/xml',
  '/drawing': 'image/svg+xml',
  '/file.pdf': 'application/pdf',
  '/data': 'application/json',
  '/photo.png': 'image/png',
};
const bodies: Record<string, string> = {
  '/plain': 'plain text',
  '/tree': '<a><b>leaf</b></a>',
  '/drawing': '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="50"><text y="20">drawn</text></svg>',
};

/** Pages whose response ends too early. */
const cut: Record<string, { headers: OutgoingHttpHeaders; begin: string | Buffer }> = {
  '/cut-chunks': { headers: {}, begin: '<p>begin' },
  '/cut-length': { headers: { 'content-length': 10_000 }, begin: '<p>begin' },
  '/cut-gzip': {
    headers: { 'content-encoding': 'gzip' },
    begin: gzipSync(randomBytes(20_000).toString('hex')).subarray(0, 10_000),
  },
};

type Seen = { server: 'first' | 'other'; url: string; method: string; secret: string; cookie: string };
const seen: Seen[] = [];
const held: IncomingMessage[] = [];
/** The request of a page that loads another one. */
let leftPage: IncomingMessage | undefined;
const serve = (name: Seen['server']): Server =>
  createServer((request, response) => {
    const { url = '', method = '', headers } = request;
    const path = url.split('?')[0]!;
    seen.push({ server: name, url, method, secret: String(headers['x-secret']), cookie: String(headers.cookie) });
    const to = (location: string): unknown => response.writeHead(302, { location }).end();
    if (pages[path]) return response.setHeader('content-type', 'text/html').end(pages[path]());
    if (types[path]) return response.setHeader('content-type', types[path]).end(bodies[path] ?? 'x');
    if (path === '/moved') return to('/page');
    if (path === '/moved-away') return to(`${other()}/page`);
    if (path === '/away-and-back') return to(`${other()}/back`);
    if (path === '/back') return to(`${base()}/page`);
    if (path === '/moved-to-private') return to(`http://127.0.0.2:${portOf(first)}/page`);
    if (path === '/moved.png') return to(`${other()}/moved-here.png`);
    if (path === '/redirects') return to('/redirects');
    if (path === '/session')
      return response.writeHead(302, { location: '/page', 'set-cookie': ['given=newer', 'own=1'] }).end();
    if (path === '/download')
      return response.setHeader('content-disposition', 'attachment').setHeader('content-type', 'text/html').end('x');
    if (path === '/nothing') return response.writeHead(204).end();
    if (path === '/login') return response.writeHead(401, { 'www-authenticate': 'Basic realm=x' }).end('<p>log in');
    if (path === '/broken') return response.writeHead(502, { 'x-colophon-error': 'failed' }).end('<p>internal');
    if (path === '/cut') return request.socket.destroy();
    if (path === '/cut-when-left') {
      leftPage = request;
      return response
        .setHeader('content-type', 'text/html')
        .write('<p>wait<script>location.replace("/after-cut")</script>');
    }
    if (path === '/after-cut') {
      leftPage?.socket.destroy();
      return response.setHeader('content-type', 'text/html').end('<p>the page');
    }
    if (path === '/not-modified') return response.writeHead(304).end();
    if (path === '/to-file') return to('file:///etc/hosts');
    if (cut[path]) {
      response.writeHead(200, { 'content-type': 'text/html', ...cut[path].headers });
      return response.write(cut[path].begin, () => request.socket.destroy());
    }
    if (path === '/never') return held.push(request);
    if (path.endsWith('.png')) return response.setHeader('content-type', 'image/png').end(image);
    return response.writeHead(404, { 'content-type': 'text/html' }).end('<p>an error page');
  });
const [first, second] = [serve('first'), serve('other')];
const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const base = (): string => `http://127.0.0.1:${portOf(first)}`;
const other = (): string => `http://127.0.0.1:${portOf(second)}`;
/** The other server as another site, for which the browser starts another process. */
const far = (): string => `http://localhost:${portOf(second)}`;

let egress: Egress;
let printer: Printer;
beforeAll(async () => {
  for (const server of [first, second]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  egress = await openEgress({ allowList: [base(), other(), far()].map((url) => url.slice(7)), logger: silentLogger });
  printer = await openTestPrinter({ openProxy: egress.openProxy });
});
afterAll(async () => {
  await printer.close();
  await egress.close();
  for (const server of [first, second]) server.close().closeAllConnections();
});
beforeEach(() => void seen.splice(0));

type Options = {
  page?: Partial<PageToLoad>;
  options?: Record<string, unknown>;
  limits?: Partial<PrintRequest['limits']>;
};
const print = (url: string, { page, options, limits }: Options = {}): Promise<PrintResult> =>
  printer.print({
    ...requestFor('', { options: options ?? {}, limits: limits ?? {} }),
    classification: pageClassification,
    page: { url: url.startsWith('/') ? base() + url : url, headers: {}, cookies: [], ...page },
  });
const textOf = async ({ pdf }: PrintResult): Promise<string> => (await readPdf(pdf)).map(({ text }) => text).join(' ');

describe('A page at a URL', () => {
  test.each([
    ['/page?a=1#b', '/page?a=1'],
    ['/moved', '/page'],
    ['/refresh', '/page'],
    ['/soon-refresh', '/page'],
    ['/script', '/page'],
    ['/form', '/page'],
  ])('is printed after its redirects: %s', async (path, finalPath) => {
    const printed = await print(path);
    expect(printed).toMatchObject({ page: { url: base() + finalPath, status: 200 }, warnings: [] });
    expect(await textOf(printed)).toBe('the page');
  });

  test('may redirect to another origin', async () => {
    for (const path of ['/moved-away', '/onload'])
      expect((await print(path)).page).toEqual({ url: `${other()}/page`, status: 200 });
  });

  test('of another site is printed with the same viewport, media and script limits', async () => {
    const printed = await print('/to-far', { page: { headers: { 'X-Secret': 'one' } } });
    expect([printed.page!.url, await textOf(printed)]).toEqual([`${far()}/far`, 'far 680 true']);
    expect(seen.map(({ url, secret }) => [url, secret])).toEqual([
      ['/to-far', 'one'],
      ['/far', 'undefined'],
    ]);
    for (const path of ['/endless', '/to-endless'])
      expect(await apiErrorFieldsOf(print(path, { limits: { scriptMs: 300 } }))).toMatchObject({
        name: 'javascript_timeout',
      });
  });

  test('stays if it changes its fragment, starts a download, stops, or refreshes later', async () => {
    for (const path of ['/fragment', '/download-later', '/stops'])
      expect(await textOf(await print(path))).toBe('stays');
    expect(await textOf(await print('/much-later-refresh'))).toBe('not redirected');
  });

  test('cannot leave while it is printed', async () => {
    const { page, pages: count } = await print('/leaves-late');
    expect([page!.url, count, seen.map(({ url }) => url)]).toEqual([`${base()}/leaves-late`, 200, ['/leaves-late']]);
  });

  test('follows a refresh within wait_time', async () => {
    expect(await textOf(await print('/late-refresh', { options: { wait_time: 2000 } }))).toBe('the page');
  });

  test('can be plain text, XML or SVG', async () => {
    expect(await textOf(await print('/plain'))).toBe('plain text');
    expect(await textOf(await print('/tree'))).toContain('leaf');
    expect(await textOf(await print('/drawing'))).toBe('drawn');
  });

  test.each([
    ['/missing', 'the server responded with 404', 404],
    ['/login', 'the server responded with 401', 401],
    ['/broken', 'the server responded with 502', 502],
    ['/to-missing', 'the server responded with 404', 404],
    ['/file.pdf', 'the response is application/pdf, not a page', 200],
    ['/data', 'the response is application/json, not a page', 200],
    ['/photo.png', 'the response is image/png, not a page', 200],
    ['/download', 'the response is a download (text/html), not a page', 200],
    ['/nothing', 'the response has no content', 204],
    ['/empty', 'the page is empty', 200],
    ['/redirects', 'the server redirects in a loop', undefined],
    ['/loop', 'the page redirects more than 5 times', undefined],
    ['/to-blank', 'the page redirects to about:blank, which is not an http or https URL', undefined],
    ['/to-odd-host', 'the URL is not valid', undefined],
    ['/cut', '127.0.0.1 closed the connection without a response.', undefined],
    ['/cut-chunks', 'the response ended too early', undefined],
    ['/cut-length', 'the response ended too early', undefined],
    ['/cut-gzip', 'ended too early', undefined],
    ['/not-modified', 'the response has no page', undefined],
    ['/to-file', 'the server redirects to a URL that a page may not load', undefined],
    ['/moved-to-private', '127.0.0.2 is not a public address.', undefined],
    ['/to-private', '127.0.0.2 is not a public address.', undefined],
    ['https://127.0.0.2/', '127.0.0.2 is not a public address.', undefined],
    ['http://nowhere.invalid/', 'The host nowhere.invalid does not exist or has no public address.', undefined],
  ])('that cannot be printed is an error: %s', async (path, reason, status) => {
    const { name, extra } = await apiErrorFieldsOf(print(path));
    expect([name, extra['status']]).toEqual(['url_load_failed', status]);
    expect(extra['reason']).toContain(reason);
    expect(seen.every(({ url }) => !url.includes('127.0.0.2'))).toBe(true);
  });

  test('that loads another one may be cut off', async () => {
    expect(await textOf(await print('/cut-when-left'))).toBe('the page');
  });

  test('has an error of its own if TLS fails or the server does not respond', async () => {
    expect(await apiErrorFieldsOf(print(base().replace('http', 'https')))).toMatchObject({
      name: 'url_load_failed',
      extra: { reason: 'the server does not support TLS on this port' },
    });
    expect(await apiErrorFieldsOf(print('/never', { limits: { processingMs: 5_000 } }))).toMatchObject({
      name: 'url_load_failed',
      extra: { url: `${base()}/never`, reason: 'the server did not respond in time' },
    });
  });

  test('may lack images, which are warnings, but not have too many', async () => {
    const printed = await print('/no-image');
    expect(await textOf(printed)).toBe('still printed');
    expect(printed.warnings).toEqual([
      { kind: 'resource_failed', url: `${base()}/missing`, reason: 'the server responded with 404' },
    ]);
    expect((await print('/many-images', { limits: { maxImages: 4 } })).warnings).toEqual([]);
    expect(await apiErrorFieldsOf(print('/many-images', { limits: { maxImages: 3 } }))).toMatchObject({
      name: 'conversion_failed',
      extra: { details: { images: 4, limit: 3 } },
    });
  });
});

describe('Headers and cookies for a page', () => {
  const page = {
    headers: { 'X-Secret': 'one', 'User-Agent': 'tests' },
    cookies: [
      { name: 'given', value: 'two' },
      { name: 'deep', value: 'three', path: '/elsewhere' },
    ],
  };
  const withSecrets = (): Seen[] =>
    seen.filter(({ secret, cookie }) => secret !== 'undefined' || cookie.includes('given'));

  test('are sent with all requests to its origin, and to no other one', async () => {
    await print('/mixed', { page });
    expect(new Set(withSecrets().map(({ server, url }) => `${server} ${url}`))).toEqual(
      new Set(['/mixed', '/own.png', '/moved.png', '/own-frame', '/own-inner.png'].map((url) => `first ${url}`)),
    );
    expect(withSecrets().every(({ secret, cookie }) => secret === 'one' && cookie === 'given=two')).toBe(true);
    const theirs = seen.filter(({ server }) => server === 'other').map(({ url }) => url);
    expect(new Set(theirs)).toEqual(new Set(['/theirs.png', '/moved-here.png', '/frame', '/in-frame.png', '/fetched']));
    const askedByFrames = seen.filter(({ url }) => url.startsWith('/asked-by'));
    expect(askedByFrames.map(({ secret, cookie }) => [secret, cookie.includes('given')])).toEqual([
      ['undefined', false],
      ['undefined', false],
    ]);
  });

  test('are not sent after a redirect to another origin, but again after a redirect back', async () => {
    await print('/moved-away', { page });
    await print('/onload', { page });
    await print('/away-and-back', { page });
    expect(withSecrets().map(({ server, url }) => `${server} ${url}`)).toEqual([
      'first /moved-away',
      'first /onload',
      'first /away-and-back',
      'first /page',
    ]);
    expect(seen.filter(({ server }) => server === 'other').map(({ url }) => url)).toEqual(['/page', '/page', '/back']);
  });

  test('are not sent with requests of a page of another origin', async () => {
    pages['/redirects-to-them'] = () => `<script>location.href = "${other()}/asks-back"</script>`;
    await print('/redirects-to-them', { page });
    await expect.poll(() => seen.map(({ url }) => url)).toContain('/asked-back.png');
    expect(withSecrets().map(({ url }) => url)).toEqual(['/redirects-to-them']);
  });

  test('have lower priority than cookies that the server sets, and are limited to their path', async () => {
    await print('/session', { page });
    expect(seen.at(-1)).toMatchObject({ url: '/page', cookie: 'given=newer; own=1' });
    await print('/elsewhere/../page', {
      page: { ...page, cookies: [{ name: 'deep', value: 'three', path: '/page' }] },
    });
    expect(seen.at(-1)).toMatchObject({ cookie: 'deep=three' });
  });
});

describe('wait_for_selector', () => {
  const waitFor = (selector: string, html: string, request: Parameters<typeof requestFor>[1] = {}) =>
    printer.print(requestFor(html, { ...request, options: { wait_for_selector: selector } }));

  test('waits for an element of a page or of a document with scripts', async () => {
    const options = { wait_for_selector: '#done' };
    expect(await textOf(await print('/later', { options }))).toBe('x ready');
    expect(await textOf(await waitFor('#done', pages['/later']!(), { scripts: true }))).toBe('x ready');
  });

  test('is checked once in a document without scripts', async () => {
    expect(await textOf(await waitFor('p.a', '<p class=a>static'))).toBe('static');
    expect(await apiErrorFieldsOf(waitFor('p.b', '<p class=a>static'))).toMatchObject({
      name: 'selector_not_found',
      extra: { wait_for_selector: 'p.b' },
    });
  });

  test('is an error if no element matches in time, or if the browser does not accept it', async () => {
    const limits = { processingMs: 5_000 };
    expect(await apiErrorFieldsOf(waitFor('#never', '<script></script>x', { scripts: true, limits }))).toMatchObject({
      name: 'selector_not_found',
    });
    expect(await apiErrorFieldsOf(waitFor('p:unknown-thing', '<p>x'))).toMatchObject({
      name: 'invalid_request',
      extra: { field: 'wait_for_selector' },
    });
  });

  test('cannot be code', async () => {
    for (const selector of [
      `x'); document.body.innerHTML = 'injected'; ('`,
      'x"); document.body.remove(); ("',
      '`${1}`',
    ])
      expect(await apiErrorFieldsOf(waitFor(selector, '<p>x'))).toMatchObject({ name: 'invalid_request' });
    const quoted = `[title='"); document.body.innerHTML = "injected"; ("']`;
    expect(await apiErrorFieldsOf(waitFor(quoted, '<p>x'))).toMatchObject({ name: 'selector_not_found' });
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openEgress, type Egress } from '#libs/egress/egress.ts';
import { createCertificateAuthority } from '#libs/egress/testing/certificates.ts';
import { startNameServer } from '#libs/egress/testing/name-server.ts';
import { apiErrorFieldsOf, readPdf, requestFor, silentLogger, openTestPrinter } from '../testing/printing.ts';
import type { Printer } from '../printer.ts';

const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20"><text y="15">Drawn</text></svg>';
const largeImage = Buffer.concat([image, Buffer.alloc(4 * 1024 * 1024)]);
const handlers: Record<string, RequestListener> = {
  '/good.png': (_, response) => response.setHeader('content-type', 'image/png').end(image),
  '/untyped': (_, response) => response.setHeader('content-type', 'application/octet-stream').end(image),
  '/moved': (_, response) => response.writeHead(302, { location: '/good.png' }).end(),
  '/moved-away': (_, response) => response.writeHead(302, { location: 'http://10.1.2.3/a.png' }).end(),
  '/page.html': (_, response) => response.setHeader('content-type', 'text/html').end('<p>not an image'),
  '/broken.png': (_, response) => response.setHeader('content-type', 'image/png').end('not an image'),
  '/cut': (request) => request.socket.destroy(),
  '/never': () => {},
  '/style.css': (_, response) => response.setHeader('content-type', 'text/css').end('p{font-size:30pt}'),
  '/fonts.css': (_, response) =>
    response.setHeader('content-type', 'text/css').end('@font-face{font-family:F;src:url(page.woff2)}p{font-family:F}'),
  '/page.woff2': (_, response) => response.setHeader('access-control-allow-origin', '*').end('<p>not a font'),
  '/footnotes.css': (_, response) =>
    response
      .setHeader('content-type', 'text/css')
      .end('@page{size:A6}.n{float:footnote}.a::after{content:counter(page)}'),
  '/moved.css': (_, response) => response.writeHead(302, { location: '/footnotes.css' }).end(),
  '/inflated.css': (_, response) =>
    response
      .setHeader('content-type', 'text/css')
      .setHeader('content-encoding', 'gzip')
      .end(gzipSync(`.n{float:footnote}${' '.repeat(600_000)}`)),
  '/drawing.svg': (_, response) => response.setHeader('content-type', 'image/svg+xml').end(drawing),
  '/large.png': (_, response) => response.setHeader('content-type', 'image/png').end(largeImage),
  '/cookie': (_, response) =>
    response
      .setHeader('set-cookie', 'seen=1; Path=/')
      .setHeader('content-type', 'image/png')
      .setHeader('cache-control', 'max-age=1000')
      .end(image),
};

const seen: { url: string; cookie: string | undefined }[] = [];
const server = createServer((request, response) => {
  seen.push({ url: request.url ?? '', cookie: request.headers.cookie });
  const handler = handlers[request.url ?? ''];
  if (handler) handler(request, response);
  else if (request.url?.startsWith('/named/')) {
    const text = `Drawn${/n=(\d+)/.exec(request.url)![1]}`;
    response.setHeader('content-type', 'image/svg+xml').end(drawing.replace('Drawn', text));
  } else response.writeHead(404).end('no');
});

const portOf = (listening: Server): number => (listening.address() as AddressInfo).port;
const tlsServer = createTlsServer((_, response) => response.setHeader('content-type', 'image/png').end(image));

let egress: Egress;
let printer: Printer;
let base: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => tlsServer.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${portOf(server)}`;
  egress = await openEgress({ allowList: [base.slice(7), `localhost:${portOf(tlsServer)}`], logger: silentLogger });
  printer = await openTestPrinter({ openProxy: egress.openProxy });
});
afterAll(async () => {
  await printer.close();
  await egress.close();
  for (const each of [server, tlsServer]) {
    each.closeAllConnections();
    each.close();
  }
});
beforeEach(() => void seen.splice(0));

const print = (html: string, options: Parameters<typeof requestFor>[1] = {}) =>
  printer.print(requestFor(html, { external: true, ...options }));

test.each([false, true])(
  'external images are loaded, including lazy and redirected ones (scripts: %s)',
  async (scripts) => {
    const html =
      `<img src="${base}/good.png"><img src="${base}/untyped"><img src="${base}/moved">` +
      `<div style="height:5000px"></div><img loading=lazy src="${base}/good.png?late">` +
      `<div style="background:url(${base}/good.png?back)">x`;
    handlers['/good.png?late'] = handlers['/good.png?back'] = handlers['/good.png']!;
    const { warnings } = await print(html, { scripts });
    expect(warnings).toEqual([]);
    expect(seen.map(({ url }) => url)).toEqual(
      expect.arrayContaining(['/good.png', '/untyped', '/moved', '/good.png?late', '/good.png?back']),
    );
  },
);

test.each<[string, RegExp, boolean?]>([
  ['/absent.png', /404/, true],
  ['/page.html', /not an image/, true],
  ['/broken.png', /not an image/],
  ['http://user:word@127.0.0.1/a.png', /user name or password/],
  ['/cut', /closed|failed|responded with 502|empty/i],
  ['http://10.0.0.1/a.png', /public|not/i, true],
  ['https://10.0.0.1/a.png', /public|not/i],
  ['/moved-away', /public|not/i],
  ['http://nowhere.invalid/a.png', /does not exist or has no public address/],
  ['https://nowhere.invalid/a.png', /does not exist or has no public address/],
])('the image %s fails the document with a reason', async (path, reason, isAlsoBackground = false) => {
  const url = path.startsWith('/') ? base + path : path;
  const background = `<div style="background:url('${url}')">x`;
  for (const html of [`<img src="${url}">`, ...(isAlsoBackground ? [background] : [])]) {
    const error = await apiErrorFieldsOf(print(html));
    expect(error).toMatchObject({ name: 'image_load_failed', extra: { image_url: url } });
    expect(error.extra['reason']).toMatch(reason);
    expect(error.extra['reason']).not.toMatch(/net::|x-colophon/);
  }
});

test('an image that never arrives delays the document until its processing timeout', async () => {
  expect(await apiErrorFieldsOf(print(`<img src="${base}/never">`, { limits: { processingMs: 600 } }))).toMatchObject({
    name: 'processing_timeout',
  });
});

test('domcontentloaded does not wait for images, but they are loaded', async () => {
  await print(`<img src="${base}/good.png">`, { options: { wait_for: 'domcontentloaded' } });
  expect(seen.filter(({ url }) => url === '/good.png')).toHaveLength(1);
});

test('a font of another style sheet that the server answers with a page is a warning', async () => {
  const { warnings } = await print(`<link rel=stylesheet href="${base}/fonts.css"><p>Text`);
  expect(warnings).toEqual([expect.objectContaining({ kind: 'resource_failed', url: '@font-face F' })]);
});

test('external styles are used; failed styles and fonts are warnings', async () => {
  const html =
    `<link rel=stylesheet href="${base}/style.css"><link rel=stylesheet href="${base}/absent.css">` +
    `<style>@font-face{font-family:F;src:url(${base}/absent.woff2)}p{font-family:F}` +
    `@font-face{font-family:G;src:url(http://nowhere.invalid/g.woff2)}b{font-family:G}</style>` +
    `<link rel=stylesheet href="http://a b.invalid/x.css"><p>Large <b>font</b></p>`;
  const { pdf, warnings: found } = await print(html);
  const warnings = found.filter((warning) => warning.kind === 'resource_failed');
  expect((await readPdf(pdf))[0]!.words[0]!.size).toBeCloseTo(30, 0);
  expect(Object.fromEntries(warnings.map(({ url, reason }) => [url, reason]))).toEqual({
    [`${base}/absent.css`]: expect.stringContaining('404'),
    [`${base}/absent.woff2`]: expect.stringContaining('404'),
    'http://a%20b.invalid/x.css': 'the URL is not valid',
    'http://nowhere.invalid/g.woff2': 'The host nowhere.invalid does not exist or has no public address.',
  });
});

test.each(['data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>', 'https://nowhere.invalid/icons.svg'])(
  'an SVG that uses a part of another one does not delay its document: %s',
  async (url) => {
    const html = `<svg><use href='${url}#part'/></svg><p>Text`;
    expect((await printer.print(requestFor(html))).pages).toBe(1);
  },
);

test('neither cookies nor the cache of a document reach the next one', async () => {
  for (const scripts of [false, true, false, true]) await print(`<img src="${base}/cookie">`, { scripts });
  expect(seen.filter(({ url }) => url === '/cookie').map(({ cookie }) => cookie)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test.each([false, true])('a document without network access fetches nothing (scripts: %s)', async (scripts) => {
  await print(
    `<img src="${base}/good.png"><iframe src="${base}/page.html"></iframe><link rel=preload as=image href="${base}/good.png">`,
    { external: false, scripts, options: { wait_for: 'networkidle' } },
  );
  expect(seen.filter(({ url }) => url !== '/never')).toEqual([]);
});

test('external images work in headers and footers, and their failures fail the document', async () => {
  const { pdf } = await print('<p>x', {
    external: false,
    options: { header_html: `<img src="&#104;${base.slice(1)}/good.png" width=9 height=9>` },
  });
  expect(Buffer.from(pdf).toString('latin1')).toContain('/Subtype /Image');
  expect(
    await apiErrorFieldsOf(print('<p>x', { options: { footer_html: `<img src="${base}/absent.png">` } })),
  ).toMatchObject({ name: 'image_load_failed', extra: { image_url: `${base}/absent.png` } });
});

const printHeaders = (header_html: string, footer_html: string | null = null, maxImages: number | null = null) =>
  print('<p>x', { external: false, options: { header_html, footer_html }, limits: { maxImages } });

test('an image of a header is printed with a fragment in its URL, and also if it has only a srcset', async () => {
  for (const attributes of [`src="${base}/drawing.svg#view"`, `srcset="${base}/drawing.svg 1x"`]) {
    const { pdf } = await printHeaders(`<img ${attributes}>`);
    expect((await readPdf(pdf))[0]!.text).toContain('Drawn');
  }
});

test('images of a header are printed, however the browser writes their URLs', async () => {
  const paths = ['a|b', 'a%7Cb', 'a^b', 'a`b', 'a[b]{c}', 'a%zz', 'a b', '\u00e4', 'a?x=|^`', "a'b?x='"];
  const images = paths.map((path, at) => {
    const url = `/named/${path}${path.includes('?') ? '&' : '?'}n=${at}`;
    return `<img src="${base}${url}" width=90 height=20><img src="${base}${url}#part" width=90 height=20>`;
  });
  const { pdf } = await printHeaders(images.join(''), null, paths.length);
  const texts = paths.flatMap((_, at) => [`Drawn${at}`, `Drawn${at}`]);
  expect((await readPdf(pdf))[0]!.words.map(({ text }) => text)).toEqual(['x', ...texts]);
});

test('header and footer have as many different images together as the document may have', async () => {
  const images = (...names: string[]) => names.map((name) => `<img src="${base}/${name}">`).join('');
  await printHeaders(images('good.png', 'good.png#2'), images('good.png', 'moved'), 2);
  expect(await apiErrorFieldsOf(printHeaders(images('good.png', 'moved'), images('untyped'), 2))).toMatchObject({
    name: 'conversion_failed',
    extra: { details: { images: 3, limit: 2 } },
  });
});

test.each([
  ['one that is used three times', ['', '', '']],
  ['three of them', ['?1', '?2', '?3']],
])('large images in a header are refused: %s', async (_, suffixes) => {
  handlers['/large.png?1'] = handlers['/large.png?2'] = handlers['/large.png?3'] = handlers['/large.png']!;
  const header = suffixes.map((suffix) => `<img src="${base}/large.png${suffix}">`).join('');
  expect(await apiErrorFieldsOf(printHeaders(header))).toMatchObject({
    name: 'conversion_failed',
    message: expect.stringContaining('larger than 10 MB together'),
    extra: { details: { reason: 'header_footer_images_too_large', limit_mb: 10 } },
  });
});

test('slow host names of two accounts do not delay a document of a third', async () => {
  let answers = false;
  const names = await startNameServer((name) =>
    name === 'quick.test' ? { address: '127.0.0.1' } : answers ? 'absent' : 'silent',
  );
  const testEgress = await openEgress({
    allowList: ['quick.test'],
    logger: silentLogger,
    resolverSources: { createDnsClient: names.createDnsClient },
    limits: { lookupTimeoutMs: 3_600_000 },
  });
  let open = 0;
  const openProxy = async () => {
    const proxy = await testEgress.openProxy();
    open += 1;
    return { ...proxy, close: () => proxy.close().then(() => void (open -= 1)) };
  };
  const testPrinter = await openTestPrinter({ openProxy, pagesPerBrowser: 4 });
  const slow = ['acc_a', 'acc_b'].map((group) => {
    const images = Array.from({ length: 20 }, (_, i) => `http://n${i}.${group.replace('_', '-')}.test/a.png`);
    return {
      images,
      printing: apiErrorFieldsOf(
        testPrinter.print(requestFor(images.map((url) => `<img src="${url}">`).join(''), { external: true, group })),
      ),
    };
  });
  // The browser first requests ten images of a document.
  for (const { images } of slow) {
    await expect
      .poll(() => images.filter((url) => names.queryCount(new URL(url).hostname) > 0).length)
      .toBeGreaterThanOrEqual(10);
  }

  const quick = `http://quick.test:${new URL(base).port}/good.png`;
  const { warnings } = await testPrinter.print(
    requestFor(`<img src="${quick}">`, {
      external: true,
      group: 'acc_c',
      options: { header_html: `<img src="${quick}">` },
    }),
  );
  expect(warnings).toEqual([]);

  answers = true;
  for (const { printing } of slow) expect(await printing).toMatchObject({ name: 'image_load_failed' });
  await testPrinter.close();
  await expect.poll(() => open).toBe(0);
  await testEgress.close();
  await names.close();
});

test('an additional authority is only trusted by printers configured with it', async () => {
  const authority = await createCertificateAuthority();
  const { key, cert } = await authority.issue('localhost');
  tlsServer.setSecureContext({ key, cert: `${cert}\n${authority.cert}` });
  const folder = await mkdtemp(join(tmpdir(), 'authority-'));
  const caFile = join(folder, 'authority.pem');
  await writeFile(caFile, authority.cert);
  const trustingPrinter = await openTestPrinter({ openProxy: egress.openProxy, caFile });

  const request = requestFor(`<img src="https://localhost:${portOf(tlsServer)}/good.png">`, { external: true });
  expect((await trustingPrinter.print(request)).warnings).toEqual([]);
  expect(await apiErrorFieldsOf(printer.print(request))).toMatchObject({
    name: 'image_load_failed',
    extra: { reason: expect.stringContaining('not trusted') },
  });

  await trustingPrinter.close();
  await rm(folder, { recursive: true });
});

test('A loaded style sheet has warnings of CSS for printing that has no effect', async () => {
  const linkTo = (path: string, attributes = 'rel=stylesheet') => `<link ${attributes} href="${base}${path}">`;
  const warningsOf = async (html: string, scripts = false) => (await print(html, { scripts })).warnings;
  const ignored = (feature: string) => ({ kind: 'feature_ignored', feature, reason: expect.any(String) });
  const footnotes = linkTo('/footnotes.css');
  const numbered = `${footnotes}<ol style="counter-reset: page 4">`;
  expect(await warningsOf(numbered)).toEqual([ignored('size: a6'), ignored('float: footnote')]);
  expect(await warningsOf(`${linkTo('/moved.css#a')}<p class="paged">Text`)).toHaveLength(3);
  expect(await warningsOf(linkTo('/footnotes.css', 'rel=stylesheet media=screen'))).toEqual([]);
  const alternate = linkTo('/footnotes.css', 'rel="alternate stylesheet" title=b');
  expect(await warningsOf(linkTo('/style.css', 'rel=stylesheet title=a') + alternate)).toEqual([]);
  expect(await warningsOf(`<!-- paged.js --><script>1</script>${footnotes}`, true)).toEqual([]);
  expect(await warningsOf(linkTo('/style.css'))).toEqual([]);
  expect(await warningsOf(linkTo('/inflated.css'))).toEqual([]);
  const changed = "<script>Object.defineProperty(StyleSheet.prototype, 'href', { get: () => 1 })</script>";
  expect(await warningsOf(footnotes + changed, true)).toEqual([]);
});

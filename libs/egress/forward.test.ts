import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { EgressOptions } from './egress.ts';
import { closeAfterTest, openTestEgress } from './testing/test-egress.ts';
import { startHttpServer, startTcpServer, type RequestHandler, type TestServer } from './testing/test-servers.ts';
import { requestThroughProxy, writeThroughProxy } from './testing/proxy-client.ts';

const startEgress = (options: Partial<EgressOptions> = {}) => openTestEgress({ allowList: ['open.test'], ...options });
const http = (handle: RequestHandler): Promise<TestServer> => closeAfterTest(startHttpServer(handle));
const at = ({ port }: TestServer, path = '/', host = 'open.test') => `http://${host}:${port}${path}`;

describe('A plain http request', () => {
  test('goes to the host of its URL, and the whole response is returned', async () => {
    let seen: IncomingMessage | undefined;
    const site = await http((request, response) => {
      seen = request;
      response
        .writeHead(203, { 'content-type': 'image/png', 'set-cookie': ['a=1', 'b=2'], etag: '"ä"' })
        .end('picture');
    });
    const { proxyUrl } = await startEgress();
    const response = await requestThroughProxy(proxyUrl, at(site, '/a.png?size=2'), {
      headers: { accept: 'image/*', cookie: 'c=d' },
    });
    expect(response).toMatchObject({
      status: 203,
      body: 'picture',
      headers: { 'content-type': 'image/png', 'set-cookie': ['a=1', 'b=2'], etag: '"ä"' },
    });
    expect(seen).toMatchObject({
      method: 'GET',
      url: '/a.png?size=2',
      headers: { host: `open.test:${site.port}`, accept: 'image/*', cookie: 'c=d' },
    });
  });

  test('is forwarded with its body', async () => {
    const site = await http(async (request, response) => response.end(`${request.method} ${await text(request)}`));
    const { proxyUrl } = await startEgress();
    expect(await requestThroughProxy(proxyUrl, at(site), { method: 'POST', body: 'form=data' })).toMatchObject({
      body: 'POST form=data',
    });
    expect(
      await requestThroughProxy(proxyUrl, at(site), {
        method: 'POST',
        body: 'chunks',
        headers: { 'transfer-encoding': 'chunked' },
      }),
    ).toMatchObject({ body: 'POST chunks' });
  });

  test('is forwarded without headers for the proxy', async () => {
    let seen: IncomingMessage['headers'] = {};
    const site = await http((request, response) => {
      seen = request.headers;
      response
        .writeHead(200, {
          connection: 'x-hop, close',
          'x-hop': 'gone',
          'proxy-authenticate': 'Basic',
          'x-kept': 'yes',
          'x-colophon-error': 'blocked',
        })
        .end();
    });
    const { proxyUrl } = await startEgress();
    const { headers } = await requestThroughProxy(proxyUrl, at(site), {
      headers: {
        'proxy-authorization': 'Basic c2VjcmV0',
        'proxy-connection': 'keep-alive',
        connection: 'x-mine',
        'x-mine': 'gone',
        te: 'trailers',
        upgrade: 'h2c',
        'x-other': 'kept',
      },
    });
    expect(seen).toMatchObject({ 'x-other': 'kept' });
    expect(Object.keys(seen)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(proxy-.*|x-mine|te|upgrade)$/)]),
    );
    expect(headers).toMatchObject({ 'x-kept': 'yes' });
    expect(headers).not.toHaveProperty('x-hop');
    expect(headers).not.toHaveProperty('proxy-authenticate');
    expect(headers).not.toHaveProperty('x-colophon-error');
  });

  test('and its response may have 32 KB of headers, more than Node allows', async () => {
    const cookie = `a=${'x'.repeat(24 * 1024)}`;
    const site = await http((request, response) => response.setHeader('x-seen', request.headers.cookie!).end());
    const { proxyUrl } = await startEgress();
    expect(await requestThroughProxy(proxyUrl, at(site), { headers: { cookie } })).toMatchObject({
      status: 200,
      headers: { 'x-seen': cookie },
    });
  });

  test('gets the redirect, and the redirect target is checked again', async () => {
    const inside = await http((_request, response) => response.end('inside'));
    const site = await http((_request, response) =>
      response.writeHead(302, { location: at(inside, '/', '127.0.0.1') }).end(),
    );
    const { proxyUrl } = await startEgress();
    const { status, headers } = await requestThroughProxy(proxyUrl, at(site));
    expect(status).toBe(302);
    expect(await requestThroughProxy(proxyUrl, String(headers['location']))).toMatchObject({ status: 403 });
    expect(inside.connectionCount()).toBe(0);
  });

  test('gets 502 when the host fails, and 504 when it does not respond', async () => {
    const closedSite = await http(() => {});
    await closedSite.close();
    const silent = await http(() => {});
    const { proxyUrl } = await startEgress({ limits: { idleTimeoutMs: 200 } });
    expect(await requestThroughProxy(proxyUrl, at(closedSite))).toMatchObject({
      status: 502,
      body: `open.test refused the connection at port ${closedSite.port}.\n`,
    });
    expect(await requestThroughProxy(proxyUrl, at(silent))).toMatchObject({
      status: 504,
      body: 'open.test did not respond in time.\n',
    });
  });

  test('is cut off when its response stops for too long', async () => {
    const site = await http((_request, response) => response.write('begun'));
    const { proxyUrl } = await startEgress({ limits: { idleTimeoutMs: 200 } });
    await expect(requestThroughProxy(proxyUrl, at(site))).rejects.toThrow();
    await expect.poll(site.openConnectionCount).toBe(0);
  });

  test('is cancelled at the host when the browser cancels it', async () => {
    const site = await http(() => {});
    const { proxyUrl } = await startEgress();
    const browser = new AbortController();
    const pending = requestThroughProxy(proxyUrl, at(site), { signal: browser.signal });
    await expect.poll(site.openConnectionCount).toBe(1);
    browser.abort();
    await expect(pending).rejects.toThrow();
    await expect.poll(site.openConnectionCount).toBe(0);
  });

  test('for https is blocked, because the browser must do TLS itself', async () => {
    const site = await http(() => {});
    const { proxyUrl } = await startEgress();
    expect(await requestThroughProxy(proxyUrl, `https://open.test:${site.port}/`)).toMatchObject({
      status: 403,
      body: expect.stringContaining('CONNECT'),
    });
    expect(site.connectionCount()).toBe(0);
  });
});

describe('A response that is too large', () => {
  test('is blocked at once when its Content-Length says so', async () => {
    const site = await http((_request, response) =>
      response.writeHead(200, { 'content-length': 5000 }).end('x'.repeat(5000)),
    );
    const { proxyUrl } = await startEgress({ limits: { maxProxyResponseBytes: 1000 } });
    expect(await requestThroughProxy(proxyUrl, at(site))).toMatchObject({
      status: 403,
      headers: { 'x-colophon-error': 'response-too-large' },
    });
  });

  test('is cut off at the limit, and logged with its host', async () => {
    const site = await http((_request, response) => {
      response.write('x'.repeat(5000));
      response.end();
    });
    const { proxyUrl, blockedRequests } = await startEgress({ limits: { maxProxyResponseBytes: 1000 } });
    await expect(requestThroughProxy(proxyUrl, at(site))).rejects.toThrow();
    expect(blockedRequests).toEqual([
      { client: 'browser', blocked: 'response-too-large', host: 'open.test', port: site.port },
    ]);
  });
});

describe('An HTTP message that two parsers could read differently', () => {
  test.each([
    ['two lengths', 'Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
    ['a length and chunks', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['an odd transfer encoding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a bare line feed', 'X: a\nY: b\r\n\r\n'],
    ['a blank before the colon', 'Content-Length : 3\r\n\r\nabc'],
    ['a folded header', 'X: a\r\n b\r\nTransfer-Encoding\r\n : chunked\r\n\r\n'],
    ['headers that are too large', `X: ${'y'.repeat(40_000)}\r\n\r\n`],
  ])('is blocked in a request: %s', async (_name, rest) => {
    const site = await http((_request, response) => response.end());
    const { proxyUrl } = await startEgress();
    expect(
      await writeThroughProxy(proxyUrl, `POST ${at(site)} HTTP/1.1\r\nHost: open.test\r\nConnection: close\r\n${rest}`),
    ).toMatch(/^HTTP\/1\.1 4/);
    expect(site.connectionCount()).toBe(0);
  });

  test('does not reach the browser in a response', async () => {
    const site = await closeAfterTest(
      startTcpServer((socket) =>
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n'),
      ),
    );
    const { proxyUrl } = await startEgress();
    expect(await requestThroughProxy(proxyUrl, at(site))).toMatchObject({ status: 502 });
  });
});

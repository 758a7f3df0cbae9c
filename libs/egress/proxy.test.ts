import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EgressOptions } from './egress.ts';
import { closeAfterTest, openTestEgress } from './testing/test-egress.ts';
import { startHttpServer, startTcpServer, type RequestHandler, type TestServer } from './testing/test-servers.ts';
import { privateOctets, addressSpelling } from './testing/address-spellings.ts';
import { requestThroughProxy, writeThroughProxy, openTunnel } from './testing/proxy-client.ts';

const startEgress = (options: Partial<EgressOptions> = {}) => openTestEgress({ allowList: ['open.test'], ...options });
const http = (handle: RequestHandler): Promise<TestServer> => closeAfterTest(startHttpServer(handle));
const at = ({ port }: TestServer, path = '/', host = 'open.test') => `http://${host}:${port}${path}`;

describe('A target that is not public', () => {
  test('gets an error with the reason, and no connection', async () => {
    const inside = await http((_request, response) => response.end('inside'));
    const { proxyUrl, blockedRequests } = await startEgress({ allowList: [] });
    const response = await requestThroughProxy(proxyUrl, at(inside, '/?token=secret', 'rebinding.test'));
    expect(response).toMatchObject({
      status: 502,
      body: 'The host rebinding.test does not exist or has no public address.\n',
    });
    const { head } = await openTunnel(proxyUrl, `127.0.0.1:${inside.port}`);
    expect(head).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n(.*\r\n)*x-colophon-error: address-not-public\r\n/);
    expect(head).toMatch(/\r\n\r\n127\.0\.0\.1 is not a public address\.\n$/);
    expect(inside.connectionCount()).toBe(0);
    expect(blockedRequests).toEqual([
      {
        client: 'browser',
        blocked: 'address-not-public',
        host: 'rebinding.test',
        port: inside.port,
        address: '127.0.0.1',
        range: 'loopback',
      },
      {
        client: 'browser',
        blocked: 'address-not-public',
        host: '127.0.0.1',
        port: inside.port,
        address: '127.0.0.1',
        range: 'loopback',
      },
    ]);
  });

  test('is logged at most 200 times for each document', async () => {
    const { proxyUrl, openProxy, blockedRequests } = await startEgress({ allowList: [] });
    for (let number = 0; number < 210; number += 1) await openTunnel(proxyUrl, `127.0.0.1:${number + 1}`);
    expect(blockedRequests.map((blocked) => blocked['port'])).toEqual(Array.from({ length: 200 }, (_, at) => at + 1));
    const other = await openProxy();
    await openTunnel(other.url, '127.0.0.1:999');
    await other.close();
    expect(blockedRequests.at(-1)).toMatchObject({ port: 999 });
  });

  test('is blocked in every spelling, as a request and as a tunnel', async () => {
    const { proxyUrl } = await startEgress({ allowList: [] });
    await fc.assert(
      fc.asyncProperty(privateOctets.chain(addressSpelling), async (spelling) => {
        // Raw bytes, because an HTTP client would normalise the URL.
        const plain = await writeThroughProxy(
          proxyUrl,
          `GET http://${encodeURI(spelling)}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
        );
        const tunnel = await writeThroughProxy(
          proxyUrl,
          `CONNECT ${encodeURI(spelling)}:443 HTTP/1.1\r\nHost: x\r\n\r\n`,
        );
        expect([plain, tunnel].map((response) => response.slice(0, 12))).toEqual(['HTTP/1.1 403', 'HTTP/1.1 403']);
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    'GET /path',
    'GET https://open.test/',
    'GET ftp://open.test/',
    'GET http://user:pw@open.test/',
    'GET http://open.test:25/x',
    'OPTIONS *',
    'CONNECT open.test',
    'CONNECT open.test:443/x',
  ])('is blocked: %s', async (line) => {
    const { proxyUrl } = await startEgress({ allowList: [] });
    expect(
      await writeThroughProxy(proxyUrl, `${line} HTTP/1.1\r\nHost: open.test\r\nConnection: close\r\n\r\n`),
    ).toMatch(/^HTTP\/1\.1 40[03] /);
  });

  test('includes the proxy itself, even where the operator allows loopback', async () => {
    const { proxyUrl } = await startEgress({ allowList: ['127.0.0.0/8', 'open.test', '::1'] });
    const { port } = new URL(proxyUrl);
    expect(await requestThroughProxy(proxyUrl, proxyUrl)).toMatchObject({ status: 403 });
    expect(await requestThroughProxy(proxyUrl, `http://open.test:${port}/`)).toMatchObject({
      status: 502,
      body: expect.stringContaining('no public address'),
    });
    expect((await openTunnel(proxyUrl, `[::ffff:127.0.0.1]:${port}`)).head).toContain(' 403 ');
  });
});

test('Browser connections beyond the limit of the proxy are closed at once', async () => {
  const { proxyUrl } = await startEgress({ limits: { maxProxyConnections: 2 } });
  const site = await closeAfterTest(startTcpServer((socket) => socket.pipe(socket)));
  const tunnel = () => openTunnel(proxyUrl, `open.test:${site.port}`);
  await Promise.all([tunnel(), tunnel()]);
  expect(await writeThroughProxy(proxyUrl, '').catch(() => '')).toBe('');
  expect(site.connectionCount()).toBe(2);
});

test('Closing egress ends open tunnels and requests', async () => {
  const site = await http(() => {});
  const egress = await startEgress();
  const { socket } = await openTunnel(egress.proxyUrl, `open.test:${site.port}`);
  const request = requestThroughProxy(egress.proxyUrl, at(site)).catch(() => 'cut off');
  await expect.poll(site.connectionCount).toBe(2);
  await Promise.all([egress.close(), once(socket, 'close')]);
  expect(await request).toBe('cut off');
});

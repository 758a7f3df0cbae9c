import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { EgressOptions } from './egress.ts';
import { resolveToLoopback, closeAfterTest, openTestEgress } from './testing/test-egress.ts';
import { startTcpServer } from './testing/test-servers.ts';
import { openTunnel } from './testing/proxy-client.ts';

const startEgress = (options: Partial<EgressOptions> = {}) => openTestEgress({ allowList: ['open.test'], ...options });

describe('A tunnel', () => {
  const echo = () => closeAfterTest(startTcpServer((socket) => socket.pipe(socket)));
  const receive = async (socket: Socket) => String((await once(socket, 'data'))[0]);

  test('carries bytes both ways, and closes with either side', async () => {
    const site = await echo();
    const { proxyUrl } = await startEgress();
    const { head, socket } = await openTunnel(proxyUrl, `open.test:${site.port}`);
    expect(head).toBe('HTTP/1.1 200 Connection Established\r\n\r\n');
    socket.write('hello');
    expect(await receive(socket)).toBe('hello');
    await Promise.all([once(socket, 'close'), site.close()]);
  });

  test('closes its connection to the host when the browser disconnects, even while it is being opened', async () => {
    const site = await echo();
    const { promise: resolved, resolve } = Promise.withResolvers<void>();
    const { proxyUrl } = await startEgress({ resolve: () => resolved.then(resolveToLoopback) });
    const opened = await openTunnel((await startEgress()).proxyUrl, `open.test:${site.port}`);
    opened.socket.destroy();
    await expect.poll(site.openConnectionCount).toBe(0);

    const early = connect(Number(new URL(proxyUrl).port), '127.0.0.1');
    await new Promise((sent) => early.write(`CONNECT open.test:${site.port} HTTP/1.1\r\nHost: x\r\n\r\n`, sent));
    early.destroy();
    resolve();
    await expect.poll(site.connectionCount).toBe(2);
    await expect.poll(site.openConnectionCount).toBe(0);
  });

  test('ends its look-up when the browser disconnects meanwhile', async () => {
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const resolve: EgressOptions['resolve'] = (_host, { signal }) =>
      new Promise((_, reject) => {
        begun.resolve();
        signal.addEventListener('abort', () => {
          ended.resolve();
          reject(new Error('no caller waits'));
        });
      });
    const { proxyUrl } = await startEgress({ resolve, limits: { lookupTimeoutMs: 3_600_000 } });
    const browser = connect(Number(new URL(proxyUrl).port), '127.0.0.1');
    browser.write('CONNECT open.test:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    await begun.promise;
    browser.destroy();
    expect(await ended.promise).toBeUndefined();
  });

  test('forwards data that the browser sends together with its request', async () => {
    const site = await echo();
    const { proxyUrl } = await startEgress();
    const socket = connect(Number(new URL(proxyUrl).port), '127.0.0.1').setEncoding('latin1');
    let output = '';
    socket.on('data', (bytes: string) => (output += bytes));
    socket.write(`CONNECT open.test:${site.port} HTTP/1.1\r\nHost: x\r\n\r\nearly`);
    await expect.poll(() => output).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\nearly$/);
    socket.destroy();
  });

  test('is closed when it is idle', async () => {
    const site = await echo();
    const { proxyUrl } = await startEgress({ limits: { idleTimeoutMs: 100 } });
    const { socket } = await openTunnel(proxyUrl, `open.test:${site.port}`);
    await expect(once(socket, 'close')).resolves.toBeDefined();
  });

  test('that receives too many bytes is closed without an error message in it, and logged', async () => {
    const site = await closeAfterTest(startTcpServer((socket) => socket.write('x'.repeat(200_000))));
    const { proxyUrl, blockedRequests } = await startEgress({ limits: { maxTunnelBytes: 100_000 } });
    const { socket } = await openTunnel(proxyUrl, `open.test:${site.port}`);
    const rest = await text(socket).catch(() => '');
    expect(rest).not.toContain('HTTP/1.1');
    await expect
      .poll(() => blockedRequests)
      .toEqual([{ client: 'browser', blocked: 'response-too-large', host: 'open.test', port: site.port }]);
  });

  test('beyond the limit for its host is blocked until another one closes', async () => {
    const site = await echo();
    const { proxyUrl } = await startEgress({ limits: { maxConnectionsPerHost: 2 } });
    const tunnel = () => openTunnel(proxyUrl, `open.test:${site.port}`);
    const [first] = await Promise.all([tunnel(), tunnel()]);
    expect((await tunnel()).head).toContain('x-colophon-error: too-many-connections');
    first?.socket.destroy();
    await expect.poll(async () => (await tunnel()).head).toContain(' 200 ');
  });

  test('gets 502 when the host fails, and 504 when it does not respond', async () => {
    const gone = await echo();
    await gone.close();
    const { proxyUrl } = await startEgress();
    expect((await openTunnel(proxyUrl, `open.test:${gone.port}`)).head).toMatch(/^HTTP\/1\.1 502 /);
    const withoutDns = await startEgress({
      resolve: () => new Promise<never>(() => {}),
      limits: { lookupTimeoutMs: 100 },
    });
    expect((await openTunnel(withoutDns.proxyUrl, 'open.test:443')).head).toMatch(/^HTTP\/1\.1 504 /);
  });
});

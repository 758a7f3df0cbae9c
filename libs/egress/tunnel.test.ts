import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { EgressSettings } from './door.ts';
import { here, kept, openDoor } from './fixtures/kept.ts';
import { rawServer } from './fixtures/listening.ts';
import { sayThrough, tunnelThrough } from './fixtures/through.ts';

const door = (settings: Partial<EgressSettings> = {}) => openDoor({ allow: ['open.test'], ...settings });

describe('a tunnel', () => {
  const echo = () => kept(rawServer((socket) => socket.pipe(socket)));
  const heard = async (socket: Socket) => String((await once(socket, 'data'))[0]);

  test('carries bytes both ways, and closes with either side', async () => {
    const site = await echo();
    const { proxyUrl } = await door();
    const { head, socket } = await tunnelThrough(proxyUrl, `open.test:${site.port}`);
    expect(head).toBe('HTTP/1.1 200 Connection Established\r\n\r\n');
    socket.write('hello');
    expect(await heard(socket)).toBe('hello');
    await site.close();
    await once(socket, 'close');
  });

  test('is closed towards the host when the browser leaves, even while it is being made', async () => {
    const site = await echo();
    const { promise: resolved, resolve } = Promise.withResolvers<void>();
    const { proxyUrl } = await door({ resolve: () => resolved.then(here) });
    const standing = await tunnelThrough((await door()).proxyUrl, `open.test:${site.port}`);
    standing.socket.destroy();
    await expect.poll(site.openNow).toBe(0);

    const early = connect(Number(new URL(proxyUrl).port), '127.0.0.1');
    await new Promise((sent) => early.write(`CONNECT open.test:${site.port} HTTP/1.1\r\nHost: x\r\n\r\n`, sent));
    early.destroy();
    resolve();
    await expect.poll(site.connections).toBe(2);
    await expect.poll(site.openNow).toBe(0);
  });

  test('takes what the browser sends together with its request', async () => {
    const site = await echo();
    const { proxyUrl } = await door();
    const words = sayThrough(proxyUrl, `CONNECT open.test:${site.port} HTTP/1.1\r\nHost: x\r\n\r\nearly`);
    await expect.poll(site.connections).toBe(1);
    await expect.poll(async () => Promise.race([words, Promise.resolve('waiting')])).toBe('waiting');
    await site.close();
    expect(await words).toMatch(/\r\n\r\nearly$/);
  });

  test('that nobody uses is closed', async () => {
    const site = await echo();
    const { proxyUrl } = await door({ limits: { idleMs: 100 } });
    const { socket } = await tunnelThrough(proxyUrl, `open.test:${site.port}`);
    await expect(once(socket, 'close')).resolves.toBeDefined();
  });

  test('that brings too many bytes back is cut off without a word into it, and logged', async () => {
    const site = await kept(rawServer((socket) => socket.write('x'.repeat(200_000))));
    const { proxyUrl, refusals } = await door({ limits: { tunnelBytes: 100_000 } });
    const { socket } = await tunnelThrough(proxyUrl, `open.test:${site.port}`);
    const rest = await text(socket).catch(() => '');
    expect(rest).not.toContain('HTTP/1.1');
    await expect.poll(() => refusals).toEqual([{ way: 'browser', refused: 'response-too-large', host: 'open.test', port: site.port }]);
  });

  test('beyond the limit for its host is refused, until another has closed', async () => {
    const site = await echo();
    const { proxyUrl } = await door({ limits: { connectionsPerHost: 2 } });
    const tunnel = () => tunnelThrough(proxyUrl, `open.test:${site.port}`);
    const [first] = await Promise.all([tunnel(), tunnel()]);
    expect((await tunnel()).head).toContain('x-colophon-refused: too-many-connections');
    first?.socket.destroy();
    await expect.poll(async () => (await tunnel()).head).toContain(' 200 ');
  });

  test('to a host that fails is answered with 502, to a silent one with 504', async () => {
    const gone = await echo();
    await gone.close();
    const { proxyUrl } = await door();
    expect((await tunnelThrough(proxyUrl, `open.test:${gone.port}`)).head).toMatch(/^HTTP\/1\.1 502 /);
    const deaf = await door({ resolve: () => new Promise<never>(() => {}), limits: { lookupMs: 100 } });
    expect((await tunnelThrough(deaf.proxyUrl, 'open.test:443')).head).toMatch(/^HTTP\/1\.1 504 /);
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Call, EgressSettings } from './door.ts';
import { kept, openDoor } from './fixtures/kept.ts';
import { httpServer, type Listening } from './fixtures/listening.ts';
import { nameServer, type NameServer, type Said } from './fixtures/name-server.ts';
import { askThrough, tunnelThrough } from './fixtures/through.ts';

const here: Said = { address: '127.0.0.1' };
/** Names below slow.test are never answered for; the others are on this machine, or do not exist. */
const worldOf = (found: Record<string, Said> = {}) => (name: string): Said => (name.endsWith('slow.test') ? 'silent' : (found[name] ?? 'absent'));

const open = async (server: NameServer, settings: Partial<EgressSettings> = {}) => openDoor({ resolve: undefined, names: { dns: server.dns }, ...settings });
const site = (): Promise<Listening> => kept(httpServer((_request, response) => response.end('there')));
const call = (url: string, account: string, timeoutMs = 3_600_000): Call => ({ account, url, method: 'POST', headers: {}, body: Buffer.from('{}'), timeoutMs, maxResponseBytes: 1000 });
const patiently = { timeout: 15_000 };
const patient = { lookupMs: 3_600_000 };

/** Waits until clients that were not stopped would have asked several times more. */
const severalTries = async (server: NameServer, egress: Awaited<ReturnType<typeof open>>): Promise<void> => {
  const asking = egress.request(call('https://still.slow.test/', 'acc_clock'));
  await expect.poll(() => server.asked('still.slow.test'), patiently).toBeGreaterThanOrEqual(10);
  void asking;
};

describe('names whose servers do not answer', () => {
  test('hold up neither documents nor callbacks of other accounts', async () => {
    const server = await kept(nameServer(worldOf({ 'quick.test': here })));
    const { port } = await site();
    const egress = await open(server, { allow: ['quick.test'], limits: patient });
    const slow = Array.from({ length: 40 }, (_, i) => `n${i}.slow.test`);
    for (const account of ['acc_a', 'acc_b']) {
      const proxy = await egress.openProxy();
      proxy.assign(account);
      for (const name of slow) void askThrough(proxy.url, `http://${account.replace('_', '-')}.${name}/`).catch(() => undefined);
      for (const name of slow) void egress.request(call(`https://hook-${account.replace('_', '-')}.${name}/`, account));
    }
    const waiting = () => slow.flatMap((name) => ['acc-a', 'acc-b', 'hook-acc-a', 'hook-acc-b'].map((each) => `${each}.${name}`)).filter((name) => server.asked(name) > 0);
    await expect.poll(() => waiting().length, patiently).toBeGreaterThanOrEqual(32);

    const proxy = await egress.openProxy();
    proxy.assign('acc_c');
    expect(await askThrough(proxy.url, `http://quick.test:${port}/`)).toMatchObject({ status: 200 });
    expect(await egress.request(call(`http://quick.test:${port}/`, 'acc_d'))).toMatchObject({ kind: 'answered' });
    expect(waiting()).toHaveLength(32);
  });

  test('are known to be so for a while, so that the next who asks need not wait', async () => {
    const server = await kept(nameServer(worldOf()));
    const { request } = await open(server, { limits: { lookupMs: 2_000 } });
    const late = { kind: 'timeout', reason: 'The name one.slow.test was not resolved within 2 s.' };
    expect(await request(call('https://one.slow.test/', 'acc_a'))).toMatchObject(late);
    const asked = server.asked('one.slow.test');
    expect(await request(call('https://one.slow.test/', 'acc_b'))).toMatchObject(late);
    expect(server.asked('one.slow.test')).toBe(asked);
  });
});

type Begin = (egress: Awaited<ReturnType<typeof open>>) => Promise<() => unknown>;

const byTunnel: Begin = async ({ proxyUrl }) => {
  const socket = connect(Number(new URL(proxyUrl).port), '127.0.0.1').on('error', () => {});
  socket.write('CONNECT one.slow.test:443 HTTP/1.1\r\nHost: one.slow.test:443\r\n\r\n');
  return () => socket.destroy();
};

const byDocument: Begin = async ({ openProxy }) => {
  const proxy = await openProxy();
  askThrough(proxy.url, 'http://one.slow.test/').catch(() => undefined);
  return proxy.close;
};

describe('a look-up ends when no caller waits for it', () => {
  test.each([['the browser closes its tunnel', byTunnel], ['the document has ended, and its proxy with it', byDocument]])('where %s', async (_how, begin) => {
    const server = await kept(nameServer(worldOf()));
    const egress = await open(server, { limits: patient });
    const leave = await begin(egress);
    await expect.poll(() => server.asked('one.slow.test'), patiently).toBeGreaterThanOrEqual(2);
    await leave();
    await expect.poll(server.inFlight, patiently).toBe(0);
    const asked = server.asked('one.slow.test');
    await severalTries(server, egress);
    expect(server.asked('one.slow.test')).toBe(asked);
  });

  test('where its time is over', async () => {
    const server = await kept(nameServer(worldOf()));
    const { proxyUrl } = await open(server, { limits: { lookupMs: 500 } });
    expect((await tunnelThrough(proxyUrl, 'one.slow.test:443')).head).toContain('was not resolved within 0.5 s');
    await expect.poll(server.inFlight, patiently).toBe(0);
  });
});

test('a name that many ask for at once is looked up once', async () => {
  const server = await kept(nameServer(worldOf({ 'quick.test': here })));
  const { port } = await site();
  const { request } = await open(server, { allow: ['quick.test'] });
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => request(call(`http://quick.test:${port}/`, `acc_${i}`))));
  expect(outcomes.every(({ kind }) => kind === 'answered')).toBe(true);
  expect(server.asked('quick.test')).toBe(2);
});

const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'names-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
};

test('the hosts file comes before the name servers, and is read again when it changes', async () => {
  const server = await kept(nameServer(worldOf()));
  const { port } = await site();
  const hostsFile = join(await folder(), 'hosts');
  await writeFile(hostsFile, '127.0.0.1 Listed.test alias.test # by hand\n');
  const { request } = await open(server, { allow: ['*.test'], names: { dns: server.dns, hostsFile } });
  const ask = async (host: string) => (await request(call(`http://${host}:${port}/`, 'acc_a'))).kind;
  expect([await ask('listed.test'), await ask('alias.test'), await ask('later.test')]).toEqual(['answered', 'answered', 'failed']);
  expect([server.asked('listed.test'), server.asked('later.test')]).toEqual([0, 2]);
  await writeFile(hostsFile, '127.0.0.1 later.test another.test\n');
  expect([await ask('later.test'), await ask('another.test')]).toEqual(['answered', 'answered']);
});

test('short names are completed by the search domains where the operator allows them by name, and nowhere else', async () => {
  const server = await kept(nameServer(worldOf({ 'wiki.corp.test': here, 'shop.corp.test': here })));
  const { port } = await site();
  const resolvConf = join(await folder(), 'resolv.conf');
  await writeFile(resolvConf, 'nameserver 127.0.0.1\nsearch corp.test\n');
  const { request } = await open(server, { allow: ['wiki', '127.0.0.0/8'], names: { dns: server.dns, resolvConf } });
  expect(await request(call(`http://wiki:${port}/`, 'acc_a'))).toMatchObject({ kind: 'answered' });
  expect(await request(call(`http://shop:${port}/`, 'acc_a'))).toMatchObject({ kind: 'failed', reason: 'The host shop does not exist or has no public address.' });
  expect([server.asked('shop.corp.test'), server.asked('shop')]).toEqual([0, 2]);
});

test('a name server that knows the name by one kind of address and fails for the other is believed', async () => {
  const server = await kept(nameServer(() => here, { failsForIPv6: true }));
  const { port } = await site();
  const { request } = await open(server, { allow: ['half.test'] });
  expect(await request(call(`http://half.test:${port}/`, 'acc_a'))).toMatchObject({ kind: 'answered' });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { WebhookRequest, EgressOptions } from './egress.ts';
import { closeAfterTest, openTestEgress } from './testing/test-egress.ts';
import { startHttpServer, type TestServer } from './testing/test-servers.ts';
import { startNameServer, type NameServer, type NameRecord } from './testing/name-server.ts';
import { requestThroughProxy, openTunnel } from './testing/proxy-client.ts';

const here: NameRecord = { address: '127.0.0.1' };
/** Names below slow.test are never answered for; the others are on this machine, or do not exist. */
const recordsWith =
  (found: Record<string, NameRecord> = {}) =>
  (name: string): NameRecord =>
    name.endsWith('slow.test') ? 'silent' : (found[name] ?? 'absent');

const open = async (server: NameServer, settings: Partial<EgressOptions> = {}) =>
  openTestEgress({ resolve: undefined, resolverSources: { createDnsClient: server.createDnsClient }, ...settings });
const site = (): Promise<TestServer> => closeAfterTest(startHttpServer((_request, response) => response.end('there')));
const call = (url: string, account: string, timeoutMs = 3_600_000): WebhookRequest => ({
  account,
  url,
  method: 'POST',
  headers: {},
  body: Buffer.from('{}'),
  timeoutMs,
  maxResponseBytes: 1000,
});
const testTimeout = { timeout: 15_000 };
const longLookupTimeout = { lookupTimeoutMs: 3_600_000 };

/** Waits until clients that were not stopped would have asked several times more. */
const severalTries = async (server: NameServer, egress: Awaited<ReturnType<typeof open>>): Promise<void> => {
  const asking = egress.sendWebhook(call('https://still.slow.test/', 'acc_clock'));
  await expect.poll(() => server.queryCount('still.slow.test'), testTimeout).toBeGreaterThanOrEqual(10);
  void asking;
};

describe('names whose servers do not answer', () => {
  test('hold up neither documents nor callbacks of other accounts', async () => {
    const server = await closeAfterTest(startNameServer(recordsWith({ 'quick.test': here })));
    const { port } = await site();
    const egress = await open(server, { allowList: ['quick.test'], limits: longLookupTimeout });
    const slow = Array.from({ length: 40 }, (_, i) => `n${i}.slow.test`);
    for (const account of ['acc_a', 'acc_b']) {
      const proxy = await egress.openProxy();
      proxy.assignAccount(account);
      for (const name of slow)
        void requestThroughProxy(proxy.url, `http://${account.replace('_', '-')}.${name}/`).catch(() => undefined);
      for (const name of slow)
        void egress.sendWebhook(call(`https://hook-${account.replace('_', '-')}.${name}/`, account));
    }
    const waiting = () =>
      slow
        .flatMap((name) => ['acc-a', 'acc-b', 'hook-acc-a', 'hook-acc-b'].map((each) => `${each}.${name}`))
        .filter((name) => server.queryCount(name) > 0);
    await expect.poll(() => waiting().length, testTimeout).toBeGreaterThanOrEqual(32);

    const proxy = await egress.openProxy();
    proxy.assignAccount('acc_c');
    expect(await requestThroughProxy(proxy.url, `http://quick.test:${port}/`)).toMatchObject({ status: 200 });
    expect(await egress.sendWebhook(call(`http://quick.test:${port}/`, 'acc_d'))).toMatchObject({ kind: 'responded' });
    expect(waiting()).toHaveLength(32);
  });

  test('are known to be so for a while, so that the next who asks need not wait', async () => {
    const server = await closeAfterTest(startNameServer(recordsWith()));
    const { sendWebhook } = await open(server, { limits: { lookupTimeoutMs: 2_000 } });
    const late = { kind: 'timeout', reason: 'The name one.slow.test was not resolved within 2 s.' };
    expect(await sendWebhook(call('https://one.slow.test/', 'acc_a'))).toMatchObject(late);
    const asked = server.queryCount('one.slow.test');
    expect(await sendWebhook(call('https://one.slow.test/', 'acc_b'))).toMatchObject(late);
    expect(server.queryCount('one.slow.test')).toBe(asked);
  });
});

type StartLookup = (egress: Awaited<ReturnType<typeof open>>) => Promise<() => unknown>;

const byTunnel: StartLookup = async ({ proxyUrl }) => {
  const socket = connect(Number(new URL(proxyUrl).port), '127.0.0.1').on('error', () => {});
  socket.write('CONNECT one.slow.test:443 HTTP/1.1\r\nHost: one.slow.test:443\r\n\r\n');
  return () => socket.destroy();
};

const byDocument: StartLookup = async ({ openProxy }) => {
  const proxy = await openProxy();
  requestThroughProxy(proxy.url, 'http://one.slow.test/').catch(() => undefined);
  return proxy.close;
};

describe('a look-up ends when no caller waits for it', () => {
  test.each([
    ['the browser closes its tunnel', byTunnel],
    ['the document has ended, and its proxy with it', byDocument],
  ])('where %s', async (_how, begin) => {
    const server = await closeAfterTest(startNameServer(recordsWith()));
    const egress = await open(server, { limits: longLookupTimeout });
    const leave = await begin(egress);
    await expect.poll(() => server.queryCount('one.slow.test'), testTimeout).toBeGreaterThanOrEqual(2);
    await leave();
    await expect.poll(server.pendingQueryCount, testTimeout).toBe(0);
    const asked = server.queryCount('one.slow.test');
    await severalTries(server, egress);
    expect(server.queryCount('one.slow.test')).toBe(asked);
  });

  test('where its time is over', async () => {
    const server = await closeAfterTest(startNameServer(recordsWith()));
    const { proxyUrl } = await open(server, { limits: { lookupTimeoutMs: 500 } });
    expect((await openTunnel(proxyUrl, 'one.slow.test:443')).head).toContain('was not resolved within 0.5 s');
    await expect.poll(server.pendingQueryCount, testTimeout).toBe(0);
  });
});

test('a name that many ask for at once is looked up once', async () => {
  const server = await closeAfterTest(startNameServer(recordsWith({ 'quick.test': here })));
  const { port } = await site();
  const { sendWebhook } = await open(server, { allowList: ['quick.test'] });
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, i) => sendWebhook(call(`http://quick.test:${port}/`, `acc_${i}`))),
  );
  expect(outcomes.every(({ kind }) => kind === 'responded')).toBe(true);
  expect(server.queryCount('quick.test')).toBe(2);
});

const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'names-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
};

test('the hosts file comes before the name servers, and is read again when it changes', async () => {
  const server = await closeAfterTest(startNameServer(recordsWith()));
  const { port } = await site();
  const hostsFile = join(await folder(), 'hosts');
  await writeFile(hostsFile, '127.0.0.1 Listed.test alias.test # by hand\n');
  const { sendWebhook } = await open(server, {
    allowList: ['*.test'],
    resolverSources: { createDnsClient: server.createDnsClient, hostsFile },
  });
  const ask = async (host: string) => (await sendWebhook(call(`http://${host}:${port}/`, 'acc_a'))).kind;
  expect([await ask('listed.test'), await ask('alias.test'), await ask('later.test')]).toEqual([
    'responded',
    'responded',
    'failed',
  ]);
  expect([server.queryCount('listed.test'), server.queryCount('later.test')]).toEqual([0, 2]);
  await writeFile(hostsFile, '127.0.0.1 later.test another.test\n');
  expect([await ask('later.test'), await ask('another.test')]).toEqual(['responded', 'responded']);
});

test('short names are completed by the search domains where the operator allows them by name, and nowhere else', async () => {
  const server = await closeAfterTest(startNameServer(recordsWith({ 'wiki.corp.test': here, 'shop.corp.test': here })));
  const { port } = await site();
  const resolvConf = join(await folder(), 'resolv.conf');
  await writeFile(resolvConf, 'nameserver 127.0.0.1\nsearch corp.test\n');
  const { sendWebhook } = await open(server, {
    allowList: ['wiki', '127.0.0.0/8'],
    resolverSources: { createDnsClient: server.createDnsClient, resolvConfFile: resolvConf },
  });
  expect(await sendWebhook(call(`http://wiki:${port}/`, 'acc_a'))).toMatchObject({ kind: 'responded' });
  expect(await sendWebhook(call(`http://shop:${port}/`, 'acc_a'))).toMatchObject({
    kind: 'failed',
    reason: 'The host shop does not exist or has no public address.',
  });
  expect([server.queryCount('shop.corp.test'), server.queryCount('shop')]).toEqual([0, 2]);
});

test('a name server that knows the name by one kind of address and fails for the other is believed', async () => {
  const server = await closeAfterTest(startNameServer(() => here, { failsForIPv6: true }));
  const { port } = await site();
  const { sendWebhook } = await open(server, { allowList: ['half.test'] });
  expect(await sendWebhook(call(`http://half.test:${port}/`, 'acc_a'))).toMatchObject({ kind: 'responded' });
});

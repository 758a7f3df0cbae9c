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

const loopbackRecord: NameRecord = { address: '127.0.0.1' };
/** Queries for names below slow.test get no response. Other names have the given records or do not exist. */
const recordsWith =
  (records: Record<string, NameRecord> = {}) =>
  (name: string): NameRecord =>
    name.endsWith('slow.test') ? 'silent' : (records[name] ?? 'absent');

const open = async (server: NameServer, options: Partial<EgressOptions> = {}) =>
  openTestEgress({ resolve: undefined, resolverSources: { createDnsClient: server.createDnsClient }, ...options });
const site = (): Promise<TestServer> => closeAfterTest(startHttpServer((_request, response) => response.end('there')));
const webhookRequest = (url: string, account: string, timeoutMs = 3_600_000): WebhookRequest => ({
  account,
  url,
  method: 'POST',
  headers: {},
  body: Buffer.from('{}'),
  timeoutMs,
  maxResponseBytes: 1000,
});
const testTimeout = { timeout: 60_000 };
const longLookupTimeout = { lookupTimeoutMs: 3_600_000 };
/** So that each query is counted once on a busy machine. */
const withoutRepeats = { repeatAfterMs: 60_000 };

/** Waits so long that a client that was not stopped would have sent several more queries. */
const waitForSeveralQueries = async (server: NameServer, egress: Awaited<ReturnType<typeof open>>): Promise<void> => {
  const pending = egress.sendWebhook(webhookRequest('https://still.slow.test/', 'acc_clock'));
  await expect.poll(() => server.queryCount('still.slow.test'), testTimeout).toBeGreaterThanOrEqual(10);
  void pending;
};

let lastProbe = 0;

/**
 * Counts the queries for a name, with those that were on their way when their look-up ended: the server reads one socket
 * in order, so it has counted them when it has answered a later query.
 */
const countQueries = async (server: NameServer, egress: Awaited<ReturnType<typeof open>>, name: string) => {
  const probe = `probe${(lastProbe += 1)}.test`;
  await egress.sendWebhook(webhookRequest(`https://${probe}/`, 'acc_probe'));
  expect(server.queryCount(probe)).toBeGreaterThan(0);
  return server.queryCount(name);
};

describe('Names without a DNS response', () => {
  test('do not delay documents and webhooks of other accounts', async () => {
    const server = await closeAfterTest(startNameServer(recordsWith({ 'quick.test': loopbackRecord })));
    const { port } = await site();
    const egress = await open(server, { allowList: ['quick.test'], limits: longLookupTimeout });
    const slow = Array.from({ length: 40 }, (_, i) => `n${i}.slow.test`);
    for (const account of ['acc_a', 'acc_b']) {
      const proxy = await egress.openProxy();
      proxy.assignAccount(account);
      for (const name of slow)
        void requestThroughProxy(proxy.url, `http://${account.replace('_', '-')}.${name}/`).catch(() => undefined);
      for (const name of slow)
        void egress.sendWebhook(webhookRequest(`https://hook-${account.replace('_', '-')}.${name}/`, account));
    }
    const queried = () =>
      slow
        .flatMap((name) => ['acc-a', 'acc-b', 'hook-acc-a', 'hook-acc-b'].map((each) => `${each}.${name}`))
        .filter((name) => server.queryCount(name) > 0);
    await expect.poll(() => queried().length, testTimeout).toBeGreaterThanOrEqual(32);

    const proxy = await egress.openProxy();
    proxy.assignAccount('acc_c');
    expect(await requestThroughProxy(proxy.url, `http://quick.test:${port}/`)).toMatchObject({ status: 200 });
    expect(await egress.sendWebhook(webhookRequest(`http://quick.test:${port}/`, 'acc_d'))).toMatchObject({
      kind: 'responded',
    });
    expect(queried()).toHaveLength(32);
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

describe('A DNS look-up ends', () => {
  test.each([
    ['when the browser closes its tunnel', byTunnel],
    ['when the document ends and its proxy closes', byDocument],
  ])('%s', async (_when, begin) => {
    const server = await closeAfterTest(startNameServer(recordsWith()));
    const egress = await open(server, { limits: longLookupTimeout });
    const cancel = await begin(egress);
    await expect.poll(() => server.queryCount('one.slow.test'), testTimeout).toBeGreaterThanOrEqual(2);
    await cancel();
    await expect.poll(server.pendingQueryCount, testTimeout).toBe(0);
    const queries = await countQueries(server, egress, 'one.slow.test');
    await waitForSeveralQueries(server, egress);
    expect(server.queryCount('one.slow.test')).toBe(queries);
  });

  test('after its timeout', async () => {
    const server = await closeAfterTest(startNameServer(recordsWith()));
    const { proxyUrl } = await open(server, { limits: { lookupTimeoutMs: 500 } });
    expect((await openTunnel(proxyUrl, 'one.slow.test:443')).head).toContain('was not resolved within 0.5 s');
    await expect.poll(server.pendingQueryCount, testTimeout).toBe(0);
  });
});

test('Concurrent requests for a name share one look-up', async () => {
  const server = await closeAfterTest(startNameServer(recordsWith({ 'quick.test': loopbackRecord }), withoutRepeats));
  const { port } = await site();
  const { sendWebhook } = await open(server, { allowList: ['quick.test'] });
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, i) => sendWebhook(webhookRequest(`http://quick.test:${port}/`, `acc_${i}`))),
  );
  expect(results.every(({ kind }) => kind === 'responded')).toBe(true);
  expect(server.queryCount('quick.test')).toBe(2);
});

const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'names-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
};

test('The hosts file is used before DNS, and is read again when it changes', async () => {
  const server = await closeAfterTest(startNameServer(recordsWith(), withoutRepeats));
  const { port } = await site();
  const hostsFile = join(await folder(), 'hosts');
  await writeFile(hostsFile, '127.0.0.1 Listed.test alias.test # by hand\n');
  const { sendWebhook } = await open(server, {
    allowList: ['*.test'],
    resolverSources: { createDnsClient: server.createDnsClient, hostsFile },
  });
  const send = async (host: string) => (await sendWebhook(webhookRequest(`http://${host}:${port}/`, 'acc_a'))).kind;
  expect([await send('listed.test'), await send('alias.test'), await send('later.test')]).toEqual([
    'responded',
    'responded',
    'failed',
  ]);
  expect([server.queryCount('listed.test'), server.queryCount('later.test')]).toEqual([0, 2]);
  await writeFile(hostsFile, '127.0.0.1 later.test another.test\n');
  expect([await send('later.test'), await send('another.test')]).toEqual(['responded', 'responded']);
});

test('Search domains complete a short name only where the operator allows that name', async () => {
  const server = await closeAfterTest(
    startNameServer(
      recordsWith({ 'wiki.corp.test': loopbackRecord, 'shop.corp.test': loopbackRecord }),
      withoutRepeats,
    ),
  );
  const { port } = await site();
  const resolvConf = join(await folder(), 'resolv.conf');
  await writeFile(resolvConf, 'nameserver 127.0.0.1\nsearch corp.test\n');
  const { sendWebhook } = await open(server, {
    allowList: ['wiki', '127.0.0.0/8'],
    resolverSources: { createDnsClient: server.createDnsClient, resolvConfFile: resolvConf },
  });
  expect(await sendWebhook(webhookRequest(`http://wiki:${port}/`, 'acc_a'))).toMatchObject({ kind: 'responded' });
  expect(await sendWebhook(webhookRequest(`http://shop:${port}/`, 'acc_a'))).toMatchObject({
    kind: 'failed',
    reason: 'The host shop does not exist or has no public address.',
  });
  expect([server.queryCount('shop.corp.test'), server.queryCount('shop')]).toEqual([0, 2]);
});

test('A name resolves when DNS has one kind of address and fails for the other', async () => {
  const server = await closeAfterTest(startNameServer(() => loopbackRecord, { ipv6: 'fails' }));
  const { port } = await site();
  const { sendWebhook } = await open(server, { allowList: ['half.test'] });
  expect(await sendWebhook(webhookRequest(`http://half.test:${port}/`, 'acc_a'))).toMatchObject({ kind: 'responded' });
});

test('A name with IPv4 addresses does not wait until the queries for IPv6 have timed out', async () => {
  const server = await closeAfterTest(startNameServer(() => loopbackRecord, { ipv6: 'silent' }));
  const { port } = await site();
  const { sendWebhook } = await open(server, {
    allowList: ['half.test'],
    limits: { ...longLookupTimeout, ipv6DelayMs: 1 },
  });
  expect(await sendWebhook(webhookRequest(`http://half.test:${port}/`, 'acc_a'))).toMatchObject({ kind: 'responded' });
  // The client would have sent a hundred.
  expect(server.queryCount('half.test')).toBeLessThan(50);
  expect(server.pendingQueryCount()).toBe(0);
});

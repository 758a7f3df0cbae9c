import { describe, expect, test } from 'vitest';
import { createAddressPolicy } from './address-policy.ts';
import { parseAllowList } from './allow-list.ts';
import type { WebhookRequest } from './egress.ts';
import { resolveToLoopback, closeAfterTest, openTestEgress } from './testing/test-egress.ts';
import { startHttpServer } from './testing/test-servers.ts';
import { requestThroughProxy, openTunnel } from './testing/proxy-client.ts';
import type { Resolve } from './resolve.ts';

const webhookRequest = (url: string): WebhookRequest => ({
  account: 'acc_a',
  url,
  method: 'POST',
  headers: {},
  body: Buffer.from('{}'),
  timeoutMs: 10_000,
  maxResponseBytes: 1000,
});

describe('A target that is not public', () => {
  test.each([
    ['https://127.0.0.1/', '127.0.0.1 is not a public address.'],
    ['https://2130706433/', '127.0.0.1 is not a public address.'],
    ['https://0177.1/', '127.0.0.1 is not a public address.'],
    ['https://[::ffff:10.0.0.1]/', '::ffff:a00:1 is not a public address.'],
    ['https://[::1]:8443/', '::1 is not a public address.'],
    ['https://example.test:25/', 'Port 25 is not allowed.'],
    ['https://me:pw@example.test/', 'The URL contains a user name or password, which is not allowed.'],
    ['ftp://example.test/', 'The scheme ftp is not allowed; http and https are.'],
    ['nonsense', 'The address is not a valid URL.'],
  ])('%s is blocked', async (url, reason) => {
    const { sendWebhook, blockedRequests } = await openTestEgress({});
    expect(await sendWebhook(webhookRequest(url))).toEqual({ kind: 'blocked', reason, durationMs: expect.any(Number) });
    expect(blockedRequests).toHaveLength(1);
  });

  test('is blocked when it is one address among public ones', async () => {
    const mixed = async () => [{ address: '8.8.8.8', family: 4 as const }, ...(await resolveToLoopback())];
    const inside = await closeAfterTest(startHttpServer((_request, response) => response.end()));
    expect(
      await (await openTestEgress({ resolve: mixed })).sendWebhook(webhookRequest(`http://mixed.test:${inside.port}/`)),
    ).toMatchObject({ kind: 'failed' });
    expect(inside.connectionCount()).toBe(0);
  });

  test('gives documents and webhooks the same error as a name that does not exist; only the log differs', async () => {
    const addresses: Record<string, string> = {
      'inside.test': '10.1.2.3',
      'own.test': '8.8.4.4',
      'metadata.test': '168.63.129.16',
    };
    const resolve = async (host: string) => {
      const address = addresses[host];
      if (!address) throw Object.assign(new Error('no'), { code: host === 'empty.test' ? 'ENODATA' : 'ENOTFOUND' });
      return [{ address, family: 4 as const }];
    };
    const { sendWebhook, proxyUrl, blockedRequests } = await openTestEgress({
      resolve,
      ownAddresses: () => ['8.8.4.4'],
    });
    const responsesFor = async (host: string) => {
      const { durationMs: _, ...webhookResult } = (await sendWebhook(webhookRequest(`https://${host}/`))) as {
        durationMs: number;
      };
      const {
        headers: { date: __, ...headers },
        ...plain
      } = await requestThroughProxy(proxyUrl, `http://${host}/`);
      const responses = [webhookResult, { ...plain, headers }, (await openTunnel(proxyUrl, `${host}:443`)).head];
      return JSON.stringify(responses)
        .replaceAll(host, 'HOST')
        .replaceAll(/"content-length[^,}]*|content-length: \d+/g, '');
    };
    const [nowhere, ...others] = await Promise.all(
      ['nowhere.test', 'empty.test', 'inside.test', 'own.test', 'metadata.test'].map(responsesFor),
    );
    expect(nowhere).toContain('The host HOST does not exist or has no public address.');
    expect(new Set(others)).toEqual(new Set([nowhere]));
    expect(new Set(blockedRequests.map(({ host }) => host))).toEqual(
      new Set(['inside.test', 'own.test', 'metadata.test']),
    );
  });

  test('gives its error as late as a name that does not exist', async () => {
    const pauses: number[] = [];
    const clock = { now: () => 0, pause: async (ms: number) => void pauses.push(ms) };
    const checkTarget = (resolve: Resolve) =>
      createAddressPolicy({
        allowList: parseAllowList([]),
        resolve,
        lookupTimeoutMs: 5000,
        minNotFoundMs: 200,
        clock,
        isOwnAddress: () => false,
        isProxyPort: () => false,
      })({ host: 'some.test', port: 443 }, { account: 'acc_a' });
    await expect(checkTarget(resolveToLoopback)).rejects.toThrow('does not exist or has no public address');
    await expect(checkTarget(async () => [])).rejects.toThrow('does not exist or has no public address');
    await checkTarget(async () => [{ address: '8.8.8.8', family: 4 }]);
    expect(pauses).toEqual([200, 200]);
  });

  test('is logged with host, address and range, but without the query', async () => {
    const { sendWebhook, blockedRequests } = await openTestEgress({});
    await sendWebhook(webhookRequest('https://inside.test:8443/hook?token=secret'));
    expect(blockedRequests).toEqual([
      {
        client: 'webhook',
        blocked: 'address-not-public',
        host: 'inside.test',
        port: 8443,
        address: '127.0.0.1',
        range: 'loopback',
      },
    ]);
    expect(JSON.stringify(blockedRequests)).not.toContain('secret');
  });
});

describe('A name that resolves to another address at the second look-up', () => {
  // 127.0.0.2 stands for the public address: only this one is allowed.
  const changing = () => {
    const lookedUp: string[] = [];
    const resolve = async (name: string) => {
      lookedUp.push(name);
      return [{ address: lookedUp.length === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 as const }];
    };
    return { lookedUp, resolve };
  };

  test('is looked up once, and the connection goes to the address that was checked', async () => {
    const { lookedUp, resolve } = changing();
    const outside = await closeAfterTest(startHttpServer((_request, response) => response.end('outside'), '127.0.0.2'));
    const egress = await openTestEgress({ allowList: ['127.0.0.2/32'], resolve });
    expect(await egress.sendWebhook(webhookRequest(`http://rebinding.test:${outside.port}/`))).toMatchObject({
      kind: 'responded',
      body: 'outside',
    });
    expect(lookedUp).toEqual(['rebinding.test']);
  });

  test('is blocked when the second look-up finds a private address', async () => {
    const { lookedUp, resolve } = changing();
    const inside = await closeAfterTest(startHttpServer((_request, response) => response.end('inside')));
    const egress = await openTestEgress({ allowList: ['127.0.0.2/32'], resolve });
    const send = () => egress.sendWebhook(webhookRequest(`http://rebinding.test:${inside.port}/`));
    expect(await send()).toMatchObject({ kind: 'failed' });
    expect(await send()).toMatchObject({
      kind: 'failed',
      reason: 'The host rebinding.test does not exist or has no public address.',
    });
    expect(lookedUp).toHaveLength(2);
    expect(inside.connectionCount()).toBe(0);
  });
});

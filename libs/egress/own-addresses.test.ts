import { expect, test } from 'vitest';
import type { WebhookRequest } from './egress.ts';
import { closeAfterTest, openTestEgress } from './testing/test-egress.ts';
import { startHttpServer } from './testing/test-servers.ts';
import { requestThroughProxy, openTunnel } from './testing/proxy-client.ts';
import { interfaceAddresses, createOwnAddressCheck } from './address.ts';

// Public addresses that stand for those of the machine's interfaces.
const ownPublicAddresses = ['8.8.4.4', '2606:4700:0:0::1111'];
const ownAddresses = () => ownPublicAddresses;
const webhookRequest = (url: string): WebhookRequest => ({
  account: 'acc_a',
  url,
  method: 'POST',
  headers: {},
  body: Buffer.from('{}'),
  timeoutMs: 10_000,
  maxResponseBytes: 1000,
});

test.each([
  '8.8.4.4',
  '0x8.8.4.4',
  '[::ffff:8.8.4.4]',
  '[64:ff9b::8.8.4.4]',
  '[2002:808:404::1]',
  '[2001:0:808:404::1]',
  '[2606:4700::5efe:8.8.4.4]',
  '[2606:4700::1111]',
])('A public address of this machine is blocked for documents and webhooks when it is written as %s', async (host) => {
  const { proxyUrl, sendWebhook, blockedRequests } = await openTestEgress({ ownAddresses });
  const response = await requestThroughProxy(proxyUrl, `http://${host}/`);
  expect(response).toMatchObject({ status: 403, body: expect.stringMatching(/is not a public address\.\n$/) });
  expect((await openTunnel(proxyUrl, `${host}:443`)).head).toContain(' 403 ');
  expect(await sendWebhook(webhookRequest(`https://${host}/`))).toMatchObject({
    kind: 'blocked',
    reason: expect.stringMatching(/is not a public address\.$/),
  });
  expect(blockedRequests).toHaveLength(3);
});

test('A public address of this machine is blocked when a name resolves to it or a redirect leads to it', async () => {
  const resolve = async (name: string) => [
    { address: name === 'site.test' ? '127.0.0.1' : '8.8.4.4', family: 4 as const },
  ];
  const { proxyUrl, sendWebhook, blockedRequests } = await openTestEgress({
    ownAddresses,
    resolve,
    allowList: ['site.test'],
  });
  const site = await closeAfterTest(
    startHttpServer((_request, response) => response.writeHead(302, { location: 'http://8.8.4.4/' }).end()),
  );
  const redirect = await requestThroughProxy(proxyUrl, `http://site.test:${site.port}/`);
  expect(await requestThroughProxy(proxyUrl, String(redirect.headers['location']))).toMatchObject({ status: 403 });
  expect((await requestThroughProxy(proxyUrl, 'http://own.test/')).status).toBeGreaterThanOrEqual(400);
  expect((await sendWebhook(webhookRequest('https://own.test/'))).kind).not.toBe('responded');
  expect(blockedRequests).toMatchObject([
    { range: 'own address' },
    { range: 'own address', host: 'own.test' },
    { range: 'own address', host: 'own.test', client: 'webhook' },
  ]);
});

test.each([
  ['by address', '127.0.0.1'],
  ['by range', '127.0.0.0/8'],
])('An address of this machine can be reached when the operator allows it %s', async (_how, allow) => {
  const site = await closeAfterTest(startHttpServer((_request, response) => response.end('reached')));
  const { proxyUrl } = await openTestEgress({ ownAddresses: () => ['127.0.0.1'], allowList: [allow] });
  expect(await requestThroughProxy(proxyUrl, `http://127.0.0.1:${site.port}/`)).toMatchObject({
    status: 200,
    body: 'reached',
  });
});

test('The addresses of this machine are those of its network interfaces', () => {
  expect(interfaceAddresses()).toContain('127.0.0.1');
});

test('The addresses of the network interfaces are read again after a second', () => {
  let time = 0;
  let addresses = ['8.8.8.8'];
  const isOwn = createOwnAddressCheck(
    () => addresses,
    () => time,
  );
  expect([isOwn('8.8.8.8'), isOwn('8.8.4.4')]).toEqual([true, false]);
  addresses = ['8.8.4.4'];
  time = 1_000;
  expect([isOwn('8.8.8.8'), isOwn('8.8.4.4')]).toEqual([false, true]);
});

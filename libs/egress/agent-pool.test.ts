import type { Agent } from 'undici';
import { expect, test } from 'vitest';
import { createAgentPool } from './agent-pool.ts';
import type { WebhookRequest } from './egress.ts';
import { closeAfterTest, openTestEgress } from './testing/test-egress.ts';
import { startHttpServer } from './testing/test-servers.ts';

const webhookRequest = (port: number, account: string, path: string): WebhookRequest => ({
  account,
  url: `http://receiver.test:${port}${path}`,
  method: 'POST',
  headers: {},
  body: Buffer.from('{}'),
  timeoutMs: 3_600_000,
  maxResponseBytes: 1000,
});

test('The last hundred accounts and those with a request in progress keep their connections', async () => {
  const destroyed: string[] = [];
  const created: string[] = [];
  const agents = createAgentPool();
  const withAgentOf = (account: string, work: () => Promise<void>) => {
    const createAgent = () => {
      created.push(account);
      return { destroy: async () => void destroyed.push(account) } as unknown as Agent;
    };
    return agents.withAgent(account, createAgent, work);
  };
  const { promise: response, resolve: respond } = Promise.withResolvers<void>();
  const slowRequest = withAgentOf('long', () => response);
  for (let i = 0; i < 150; i += 1) await withAgentOf(`acc_${i}`, async () => undefined);
  await withAgentOf('acc_149', async () => undefined);
  expect(destroyed).toEqual(Array.from({ length: 51 }, (_, i) => `acc_${i}`));
  expect(created).toHaveLength(151);
  respond();
  await slowRequest;
  await agents.destroy();
  expect(destroyed).toHaveLength(151);
});

test('Requests of one account without a response do not delay requests of another account to the same host', async () => {
  const { port, connectionCount } = await closeAfterTest(
    startHttpServer((request, response) => void (request.url === '/quick' && response.end('ok'))),
  );
  const { sendWebhook, close } = await openTestEgress({
    allowList: ['receiver.test'],
    limits: { maxConnectionsPerHost: 2 },
  });
  const pending = Array.from({ length: 5 }, () => sendWebhook(webhookRequest(port, 'acc_a', '/held')));
  await expect.poll(connectionCount).toBe(2);
  expect(await sendWebhook(webhookRequest(port, 'acc_b', '/quick'))).toMatchObject({ kind: 'responded' });
  await close();
  expect((await Promise.all(pending)).every(({ kind }) => kind === 'failed')).toBe(true);
});

test('When egress closes, requests without a connection fail and open none, and so do proxies', async () => {
  const { port, connectionCount } = await closeAfterTest(startHttpServer((_request, response) => void response.end()));
  const { sendWebhook, requestProvider, openProxy, close } = await openTestEgress({ allowList: ['receiver.test'] });
  const begun = sendWebhook(webhookRequest(port, 'acc_a', '/'));
  const asked = requestProvider(`http://receiver.test:${port}/`, {}).catch((error: unknown) => error);
  const proxy = openProxy().catch((error: unknown) => error);
  await close();
  expect(await begun).toMatchObject({ kind: 'failed' });
  expect(await asked).toMatchObject({ name: 'EgressError', fields: { kind: 'failed' } });
  expect(connectionCount()).toBe(0);
  expect(await proxy).toMatchObject({ message: 'Egress is closed.' });
});

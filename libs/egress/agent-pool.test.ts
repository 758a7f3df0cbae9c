import type { Agent } from 'undici';
import { expect, test } from 'vitest';
import { createAgentPool } from './agent-pool.ts';
import type { WebhookRequest } from './egress.ts';
import { closeAfterTest, openTestEgress } from './testing/test-egress.ts';
import { startHttpServer } from './testing/test-servers.ts';

test('of many accounts the last hundred keep their connections, and those with a call under way', async () => {
  const destroyed: string[] = [];
  const opened: string[] = [];
  const agents = createAgentPool((account) => {
    opened.push(account);
    return { destroy: async () => void destroyed.push(account) } as unknown as Agent;
  });
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const long = agents.withAgent('long', () => answered);
  for (let i = 0; i < 150; i += 1) await agents.withAgent(`acc_${i}`, async () => undefined);
  await agents.withAgent('acc_149', async () => undefined);
  expect(destroyed).toEqual(Array.from({ length: 51 }, (_, i) => `acc_${i}`));
  expect(opened).toHaveLength(151);
  answer();
  await long;
  await agents.destroy();
  expect(destroyed).toHaveLength(151);
});

test('calls of one account that a host does not answer hold up no call of another account to it', async () => {
  const { port, connectionCount } = await closeAfterTest(
    startHttpServer((request, response) => void (request.url === '/quick' && response.end('ok'))),
  );
  const { sendWebhook, close } = await openTestEgress({
    allowList: ['receiver.test'],
    limits: { maxConnectionsPerHost: 2 },
  });
  const call = (account: string, path: string): WebhookRequest => ({
    account,
    url: `http://receiver.test:${port}${path}`,
    method: 'POST',
    headers: {},
    body: Buffer.from('{}'),
    timeoutMs: 3_600_000,
    maxResponseBytes: 1000,
  });
  const held = Array.from({ length: 5 }, () => sendWebhook(call('acc_a', '/held')));
  await expect.poll(connectionCount, { timeout: 15_000 }).toBe(2);
  expect(await sendWebhook(call('acc_b', '/quick'))).toMatchObject({ kind: 'responded' });
  await close();
  expect((await Promise.all(held)).every(({ kind }) => kind === 'failed')).toBe(true);
});

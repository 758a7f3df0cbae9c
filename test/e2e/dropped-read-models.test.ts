import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { type TestInstallation, openTestInstallation, type RunningService } from '../support/service/installation.ts';
import { waitUntil } from '../support/wait-until.ts';
import { isOnServers } from '../support/environment.ts';

const timeoutMs = 300_000;

let installation: TestInstallation;
beforeEach(async () => void (installation = await openTestInstallation()));
afterEach(() => installation.remove());

/** Removes the collections of read models whose names match. */
const dropCollections = async (pattern: RegExp): Promise<number> => {
  const client = await new MongoClient(installation.env['READ_STORE_URL']!).connect();
  try {
    const names = (await client.db().listCollections().toArray()).map(({ name }) => name);
    const dropped = names.filter((name) => pattern.test(name));
    for (const name of dropped) await client.db().dropCollection(name);
    return dropped.length;
  } finally {
    await client.close();
  }
};

/** The statuses of requests until one succeeds. */
const statusesUntilServed = async ({ url }: RunningService, key: string): Promise<Set<number>> => {
  const seen = new Set<number>();
  await waitUntil('the key is accepted again', async () => {
    const { status } = await createClient(url, key).request('GET', '/api/v1/account');
    seen.add(status);
    return status === 200;
  });
  return seen;
};

describe.skipIf(!isOnServers)('A service whose read models are dropped', () => {
  it.each([
    ['all', /^documents\./],
    ['those of API keys', /^documents\.apiKeys(@|$)/],
    ['those of accounts', /^documents\.accounts(@|$)/],
  ])(
    'builds them again by itself, and does not call a key wrong meanwhile: %s',
    async (_, pattern) => {
      const key = await createUnlimitedKey(installation);
      const service = await installation.start();
      await createClient(service.url, key).render('html', '<p>x</p>');
      expect(await dropCollections(pattern)).toBeGreaterThan(0);
      const seen = await statusesUntilServed(service, key);
      expect([...seen].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      await waitUntil('the service is ready', async () => (await fetch(`${service.url}/health/ready`)).status === 200);
      await createClient(service.url, key).render('html', '<p>x</p>');
      expect((await createClient(service.url, 'ck_test_wrong').request('GET', '/api/v1/account')).status).toBe(401);
      expect((await service.stop('SIGTERM')).code).toBe(0);
    },
    timeoutMs,
  );
});

import { type Db, MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newSecret } from '#application/api-keys/secret.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { type TestInstallation, openTestInstallation, type RunningService } from '../support/service/installation.ts';
import { waitUntil } from '../support/wait-until.ts';
import { isOnServers } from '../support/environment.ts';

const timeoutMs = 300_000;

let installation: TestInstallation;
beforeEach(async () => void (installation = await openTestInstallation()));
afterEach(() => installation.remove());

const withReadModels = async <T>(work: (database: Db) => Promise<T>): Promise<T> => {
  const client = await new MongoClient(installation.env['READ_STORE_URL']!).connect();
  try {
    return await work(client.db());
  } finally {
    await client.close();
  }
};
const namesIn = async (database: Db, pattern: RegExp): Promise<string[]> =>
  (await database.listCollections().toArray()).map(({ name }) => name).filter((name) => pattern.test(name));

/** Removes all read models. */
const dropReadModels = (): Promise<number> =>
  withReadModels(async (database) => {
    const names = await namesIn(database, /^documents\./);
    for (const name of names) await database.dropCollection(name);
    return names.length;
  });

/** Whether a key and an account are stored again. */
const areRebuilt = (): Promise<boolean> =>
  withReadModels(async (database) => {
    for (const pattern of [/^documents\.apiKeys(@|$)/, /^documents\.accounts(@|$)/]) {
      const counts = (await namesIn(database, pattern)).map((name) => database.collection(name).countDocuments());
      if (!(await Promise.all(counts)).some((count) => count > 0)) return false;
    }
    return true;
  });

/** The statuses of requests until the read models are rebuilt and one succeeds. */
const statusesUntilServed = async ({ url }: RunningService, key: string): Promise<Set<number>> => {
  const seen = new Set<number>();
  const client = createClient(url, key);
  await waitUntil('documents are rendered again', async () => {
    const wereRebuilt = await areRebuilt();
    const { status } = await client.convert('html', '<p>x</p>');
    seen.add(status);
    return wereRebuilt && status === 200;
  });
  return seen;
};

describe.skipIf(!isOnServers)('A service whose read models are dropped', () => {
  it(
    'rebuilds them itself, and rejects no valid key meanwhile',
    async () => {
      const key = await createUnlimitedKey(installation);
      const service = await installation.start();
      await createClient(service.url, key).render('html', '<p>x</p>');
      expect(await dropReadModels()).toBeGreaterThan(0);
      const seen = await statusesUntilServed(service, key);
      expect([...seen].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      await waitUntil('the service is ready', async () => (await fetch(`${service.url}/health/ready`)).status === 200);
      const other = createClient(service.url, newSecret('test'));
      await waitUntil('another key is wrong', async () => {
        const { status } = await other.request('GET', '/api/v1/account');
        expect([401, 503]).toContain(status);
        return status === 401;
      });
      expect((await service.stop('SIGTERM')).code).toBe(0);
    },
    timeoutMs,
  );
});

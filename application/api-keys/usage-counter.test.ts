import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKeyUsageCollection } from '#libs/projections/key-renders.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { openSqliteReadStore } from '#libs/read-store/sqlite.ts';
import { createApiKeyUsageCounter } from './usage-counter.ts';

const never = 3_600_000;
let folder: string;
let reads: ReadStore;
const open = (): ReadStore => openSqliteReadStore(join(folder, 'reads.db'), [apiKeyUsageCollection]);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-key-uses-'));
  reads = open();
});
afterAll(async () => {
  await reads.close();
  await rm(folder, { recursive: true });
});

const usesOf = (accountId: string) => reads.find(apiKeyUsageCollection.name, { where: { accountId }, limit: 100 });
const [may, june] = [new Date('2026-05-31T23:59:59.999Z'), new Date('2026-06-01T00:00:00.000Z')];

describe('The requests of a key', () => {
  it('are counted by month, with the time of the latest one, in any order', async () => {
    const uses = createApiKeyUsageCounter(reads, never);
    const key = { id: 'k1', accountId: 'a1' };
    uses.countRequest(key, june);
    uses.countRequest(key, may);
    uses.countRequest(key, new Date('2026-05-01T00:00:00.000Z'));
    await uses.flush();
    uses.countRequest(key, new Date('2026-05-02T00:00:00.000Z'));
    await uses.close();
    expect(await usesOf('a1')).toEqual([
      { keyId: 'k1', accountId: 'a1', month: '2026-05', requests: 3, lastRequestAt: may.toISOString() },
      { keyId: 'k1', accountId: 'a1', month: '2026-06', requests: 1, lastRequestAt: june.toISOString() },
    ]);
  });

  it('add up exactly across concurrent processes', async () => {
    const stores = [reads, open(), open()];
    const all = stores.map((store) => createApiKeyUsageCounter(store, never));
    const key = { id: 'k2', accountId: 'a2' };
    await Promise.all(
      all.map(async (uses) => {
        for (let round = 0; round < 20; round += 1) {
          for (let request = 0; request < 5; request += 1) uses.countRequest(key, may);
          await uses.flush();
        }
      }),
    );
    expect(await usesOf('a2')).toMatchObject([{ requests: 300 }]);
    await Promise.all([stores[1]!.close(), stores[2]!.close()]);
  });

  it('are stored automatically after the interval', async () => {
    const uses = createApiKeyUsageCounter(reads, 1);
    uses.countRequest({ id: 'k3', accountId: 'a3' }, may);
    await expect.poll(() => usesOf('a3')).toMatchObject([{ requests: 1 }]);
    await uses.close();
  });

  it('are kept for the next time if they cannot be stored', async () => {
    const broken = { ...reads, replace: async () => Promise.reject(new Error('locked')) };
    let current: ReadStore = broken;
    const uses = createApiKeyUsageCounter({ ...reads, replace: (...change) => current.replace(...change) }, never);
    uses.countRequest({ id: 'k4', accountId: 'a4' }, may);
    await uses.flush();
    uses.countRequest({ id: 'k4', accountId: 'a4' }, may);
    current = reads;
    await uses.close();
    expect(await usesOf('a4')).toMatchObject([{ requests: 2 }]);
  });
});

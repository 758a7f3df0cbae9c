import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventStore } from '#libs/event-store/port.ts';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import type { Log } from '#application/handling/handle.ts';
import { acceptBlobStore, type Marked, type MarkedEngine, settleMarks } from './marks.ts';
import { createdIn, loadInstallation, settleSecret } from './secret.ts';

const actor = { kind: 'service', name: 'tests' } as const;

/** A store that is marked once. */
const storage = (): Marked => {
  let mark: string | null = null;
  return { mark: async () => mark, setMark: async (installation) => (mark ??= installation) };
};
const blobs = (engine: Marked): MarkedEngine => ({ part: 'blobs', setting: 'BLOB_STORE_URL', engine });

let folder: string;
let store: EventStore;
let log: Log;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'settle-marks-'));
  store = openSqliteEventStore(join(folder, 'log.db'));
  log = { store, now: () => new Date() };
  await settleSecret(log, { secret: 'a secret that is long enough for a test', previousSecrets: [], dataDir: folder }, actor);
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

describe('Of several processes that start for the first time at once', () => {
  it('all work with one blob store', async () => {
    const [one, other, shared] = [await loadInstallation(log), await loadInstallation(log), blobs(storage())];
    await Promise.all([settleMarks(one, [shared], actor), settleMarks(other, [shared], actor)]);
    expect(createdIn(one).blobStoreMark).toBe(await shared.engine.mark());
    expect(createdIn(other).blobStoreMark).toBe(await shared.engine.mark());
  });

  it('those with a second blob store refuse to work, then and later, until a person accepts it', async () => {
    const [one, other, first, second] = [await loadInstallation(log), await loadInstallation(log), blobs(storage()), blobs(storage())];
    await settleMarks(one, [first], actor);
    await expect(settleMarks(other, [second], actor)).rejects.toThrow(/BLOB_STORE_URL leads to a second blob store of this installation/);
    const later = await loadInstallation(log);
    await expect(settleMarks(later, [second], actor)).rejects.toThrow('a second blob store');
    await settleMarks(later, [first], actor);
    expect(await acceptBlobStore(later, second, actor)).toBe(true);
    await settleMarks(await loadInstallation(log), [second], actor);
    await expect(settleMarks(await loadInstallation(log), [first], actor)).rejects.toThrow('a second blob store');
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventStore } from '#libs/event-store/port.ts';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import type { EventLog } from '#application/command-handling/aggregate.ts';
import {
  acceptBlobStore,
  type EngineWithInstallationId,
  type ConfiguredEngine,
  ensureInstallationIds,
} from './installation-ids.ts';
import { requireCreated, loadInstallation, ensureInstallationSecret } from './secret.ts';

const actor = { kind: 'service', name: 'tests' } as const;

/** A store that is marked once. */
const storage = (): EngineWithInstallationId => {
  let mark: string | null = null;
  return { installationId: async () => mark, setInstallationId: async (installation) => (mark ??= installation) };
};
const blobs = (engine: EngineWithInstallationId): ConfiguredEngine => ({
  kind: 'blobs',
  setting: 'BLOB_STORE_URL',
  engine,
});

let folder: string;
let store: EventStore;
let eventLog: EventLog;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'settle-marks-'));
  store = openSqliteEventStore(join(folder, 'log.db'));
  eventLog = { store, now: () => new Date() };
  await ensureInstallationSecret(
    eventLog,
    { secret: 'a secret that is long enough for a test', previousSecrets: [], dataDir: folder },
    actor,
  );
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

describe('Several processes in a concurrent first start', () => {
  it('work with one blob store', async () => {
    const [one, other, shared] = [await loadInstallation(eventLog), await loadInstallation(eventLog), blobs(storage())];
    await Promise.all([ensureInstallationIds(one, [shared], actor), ensureInstallationIds(other, [shared], actor)]);
    expect(requireCreated(one).blobStoreId).toBe(await shared.engine.installationId());
    expect(requireCreated(other).blobStoreId).toBe(await shared.engine.installationId());
  });

  it('fail with a second blob store until an operator accepts it', async () => {
    const [one, other, first, second] = [
      await loadInstallation(eventLog),
      await loadInstallation(eventLog),
      blobs(storage()),
      blobs(storage()),
    ];
    await ensureInstallationIds(one, [first], actor);
    await expect(ensureInstallationIds(other, [second], actor)).rejects.toThrow(
      /BLOB_STORE_URL leads to a second blob store of this installation/,
    );
    const later = await loadInstallation(eventLog);
    await expect(ensureInstallationIds(later, [second], actor)).rejects.toThrow('a second blob store');
    await ensureInstallationIds(later, [first], actor);
    expect(await acceptBlobStore(later, second, actor)).toBe(true);
    await ensureInstallationIds(await loadInstallation(eventLog), [second], actor);
    await expect(ensureInstallationIds(await loadInstallation(eventLog), [first], actor)).rejects.toThrow(
      'a second blob store',
    );
  });
});

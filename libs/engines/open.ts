import { join } from 'node:path';
import { readModels } from '#contracts/names.ts';
import { openFileBlobStore } from '#libs/blob-store/file.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { Bus } from '#libs/bus/port.ts';
import { openSqliteBus } from '#libs/bus/sqlite.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import { openMemoryLimits } from '#libs/limits/memory.ts';
import type { Limits } from '#libs/limits/port.ts';
import { projections } from '#libs/projections/all.ts';
import { usageIdOf, type UsageDocument } from '#libs/projections/usage.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { openSqliteReadStore } from '#libs/read-store/sqlite.ts';

export type Engines = { store: EventStore; bus: Bus; reads: ReadStore; blobs: BlobStore; limits: Limits; close(): Promise<void> };

/** Where each engine keeps its things, as the settings have it. */
export type EngineUrls = { dataDir: string; eventStoreUrl: string; busUrl: string; readStoreUrl: string; blobStoreUrl: string };

const place = (url: string, scheme: string, otherwise: string): string => {
  const path = url.slice(scheme.length);
  return path === '' ? otherwise : path;
};

/** Which engine serves is decided here and nowhere else. */
export const openEngines = async ({ dataDir, eventStoreUrl, busUrl, readStoreUrl, blobStoreUrl }: EngineUrls): Promise<Engines> => {
  const store = openSqliteEventStore(place(eventStoreUrl, 'sqlite:', join(dataDir, 'log.db')));
  const bus = openSqliteBus(place(busUrl, 'sqlite:', join(dataDir, 'bus.db')));
  const reads = openSqliteReadStore(place(readStoreUrl, 'sqlite:', join(dataDir, 'read-models.db')), projections.map(({ collection }) => collection));
  const blobs = await openFileBlobStore(place(blobStoreUrl, 'file:', join(dataDir, 'blobs')));
  const limits = openMemoryLimits(async (accountId, month) => {
    const document = (await reads.get(readModels.usage, usageIdOf(accountId, month))) as UsageDocument | null;
    return document?.used ?? 0;
  });
  return {
    store, bus, reads, blobs, limits,
    close: async () => {
      await Promise.all([store.close(), blobs.close()]);
      await Promise.all([bus.close(), reads.close()]);
    },
  };
};

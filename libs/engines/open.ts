import { join } from 'node:path';
import { Problem } from '#contracts/http/problem.ts';
import { readModels } from '#contracts/names.ts';
import { openFileBlobStore } from '#libs/blob-store/file.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { Bus } from '#libs/bus/port.ts';
import { openSqliteBus } from '#libs/bus/sqlite.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import { withUpcasting } from '#libs/event-store/upcasting.ts';
import type { Limits, MonthInLog } from '#libs/limits/port.ts';
import { openSqliteLimits } from '#libs/limits/sqlite.ts';
import { keyUseCollection } from '#libs/keys/uses.ts';
import { projections } from '#libs/projections/all.ts';
import { collectionsOf } from '#libs/projections/projection.ts';
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

const longestCatchUpMs = 2_000;

/** A month is counted from a read model that has come to the end of the log; one that is being rebuilt would let a month begin anew. */
const monthReader = (store: EventStore, reads: ReadStore) => async (accountId: string, month: string): Promise<MonthInLog> => {
  const caughtUp = await reads.reached(readModels.usage, await store.head(), longestCatchUpMs);
  if (!caughtUp) throw Problem.of('service_unavailable', 'The usage of the month is still being counted. Try again in a moment.', { retry_after: 2 });
  const { used, through } = ((await reads.get(readModels.usage, usageIdOf(accountId, month))) as UsageDocument | null) ?? { used: 0, through: 0 };
  return { used, through };
};

/** Which engine serves is decided here and nowhere else. */
export const openEngines = async ({ dataDir, eventStoreUrl, busUrl, readStoreUrl, blobStoreUrl }: EngineUrls): Promise<Engines> => {
  const store = withUpcasting(openSqliteEventStore(place(eventStoreUrl, 'sqlite:', join(dataDir, 'log.db'))));
  const bus = openSqliteBus(place(busUrl, 'sqlite:', join(dataDir, 'bus.db')));
  const reads = openSqliteReadStore(place(readStoreUrl, 'sqlite:', join(dataDir, 'read-models.db')), [...projections.flatMap(collectionsOf), keyUseCollection]);
  const blobs = await openFileBlobStore(place(blobStoreUrl, 'file:', join(dataDir, 'blobs')));
  const limits = openSqliteLimits(join(dataDir, 'limits.db'), monthReader(store, reads));
  return {
    store, bus, reads, blobs, limits,
    close: async () => {
      await Promise.all([store.close(), blobs.close()]);
      await Promise.all([bus.close(), reads.close(), limits.close()]);
    },
  };
};

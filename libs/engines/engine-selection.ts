import { join, resolve } from 'node:path';
import type { RenderReplies } from '#libs/replies/port.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { Bus } from '#libs/bus/port.ts';
import type { DeadLetter } from '#libs/bus/jetstream.ts';
import type { EngineUrlSettings } from '#libs/config/engine-combinations.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import type { Limits, UsageReader } from '#libs/limits/port.ts';
import type { Collection, ReadStore } from '#libs/read-store/port.ts';
import type { SmallBlobs } from '#libs/sqlite/small-blobs.ts';

/** The locations of the engines, from the settings, which have checked their schemes. */
export type EngineUrls = EngineUrlSettings & { dataDir: string };

// Only this file selects engines. It loads only the drivers of selected engines.

const schemeOf = (url: string): string => url.slice(0, url.indexOf(':') + 1);

/** The path after `sqlite:` or `file:`; by default `defaultName` in the data folder. */
const pathOf = (url: string, dataDir: string, defaultName: string): string =>
  url.slice(schemeOf(url).length) || join(dataDir, defaultName);

const isMongoDb = (url: string): boolean => url.startsWith('mongodb');

/** The database files of the selected embedded engines; null for servers. */
export const databaseFilesOf = ({ eventStoreUrl, readStoreUrl, dataDir }: EngineUrls) => {
  const database = (url: string, defaultName: string): string | null =>
    schemeOf(url) === 'sqlite:' ? resolve(pathOf(url, dataDir, defaultName)) : null;
  return {
    eventLog: database(eventStoreUrl, 'log.db'),
    readModels: database(readStoreUrl, 'read-models.db'),
  };
};

/** Where the selected embedded engines store data: databases, and the folder of blobs. */
export const embeddedPathsOf = (urls: EngineUrls): { databases: string[]; blobFolders: string[] } => {
  const { blobStoreUrl, dataDir } = urls;
  return {
    databases: Object.values(databaseFilesOf(urls)).filter((file) => file !== null),
    blobFolders: schemeOf(blobStoreUrl) === 'file:' ? [resolve(pathOf(blobStoreUrl, dataDir, 'blobs'))] : [],
  };
};

/** An event log in SQLite also stores small blobs. */
export type SelectedEventStore = EventStore & { smallBlobs?: SmallBlobs };

export const openSelectedEventStore = async ({
  eventStoreUrl: url,
  dataDir,
}: EngineUrls): Promise<SelectedEventStore> =>
  schemeOf(url) === 'sqlite:'
    ? (await import('#libs/event-store/sqlite.ts')).openSqliteEventStore(pathOf(url, dataDir, 'log.db'))
    : (await import('#libs/event-store/kurrentdb.ts')).openKurrentDbEventStore(url);

/** `onDeadLetter` gets messages that reached the maximum number of deliveries. */
export const openSelectedBus = async (
  { busUrl: url }: EngineUrls,
  onDeadLetter?: (message: DeadLetter) => void,
): Promise<Bus> =>
  schemeOf(url) === 'memory:'
    ? (await import('#libs/bus/memory.ts')).openMemoryBus()
    : (await import('#libs/bus/jetstream.ts')).openJetStreamBus(url, onDeadLetter ? { onDeadLetter } : {});

/** Processes that share a bus also send replies over it. */
export const openSelectedReplies = async ({
  busUrl: url,
}: EngineUrls): Promise<RenderReplies & { close(): Promise<void> }> =>
  schemeOf(url) === 'memory:'
    ? { ...(await import('#libs/replies/pending-replies.ts')).openPendingReplies(), close: async () => undefined }
    : (await import('#libs/replies/nats.ts')).openNatsReplies(url);

export const openSelectedReadStore = async (
  { readStoreUrl: url, dataDir }: EngineUrls,
  collections: readonly Collection[],
): Promise<ReadStore> =>
  isMongoDb(url)
    ? (await import('#libs/read-store/mongodb.ts')).openMongoReadStore(url, collections)
    : (await import('#libs/read-store/sqlite.ts')).openSqliteReadStore(
        pathOf(url, dataDir, 'read-models.db'),
        collections,
      );

/** Processes that share the read models also share the limits. */
export const openSelectedLimits = async ({ readStoreUrl: url }: EngineUrls, usage: UsageReader): Promise<Limits> =>
  isMongoDb(url)
    ? (await import('#libs/limits/mongodb.ts')).openMongoLimits(url, usage)
    : (await import('#libs/limits/memory.ts')).openMemoryLimits(usage);

/**
 * The blob store of the settings. With an event log in SQLite and a folder of blobs, small blobs are in the event log's
 * file.
 */
export const openSelectedBlobStore = async (
  { blobStoreUrl: url, readStoreUrl, dataDir }: EngineUrls,
  { smallBlobs }: SelectedEventStore,
): Promise<BlobStore> => {
  if (schemeOf(url) === 'file:') {
    const [{ openFileBlobStore }, { withSmallBlobs }] = await Promise.all([
      import('#libs/blob-store/file.ts'),
      import('#libs/blob-store/small-blobs.ts'),
    ]);
    const files = await openFileBlobStore(pathOf(url, dataDir, 'blobs'));
    return smallBlobs ? withSmallBlobs(files, smallBlobs) : files;
  }
  const [{ openGridFsBlobStore }, { gridFsAddress }] = await Promise.all([
    import('#libs/blob-store/gridfs.ts'),
    import('#libs/mongodb/address.ts'),
  ]);
  const address = gridFsAddress(url, readStoreUrl);
  return openGridFsBlobStore(address.url, address.setting);
};

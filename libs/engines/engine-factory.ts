import { dirname } from 'node:path';
import type { RenderReplies } from '#libs/replies/port.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { DeadLetter } from '#libs/bus/jetstream.ts';
import type { Bus } from '#libs/bus/port.ts';
import { type DiskMonitor, openDiskMonitor } from '#libs/disk/disk-monitor.ts';
import { leaderLeaseCollection } from '#libs/leader-election/leader-lease.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import { withUpcasting } from '#libs/event-store/upcasting.ts';
import type { Limits } from '#libs/limits/port.ts';
import { apiKeyUsageCollection } from '#libs/projections/key-renders.ts';
import { projections } from '#libs/projections/all.ts';
import { collectionsOf } from '#libs/projections/projection.ts';
import { createUsageReader } from '#libs/projections/usage-reader.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { withDiskErrors } from './decorators.ts';
import { isRemoteEngine } from './remote.ts';
import { requireUndamaged, type SetAsideFile, undamagedOrSetAside } from './damaged-files.ts';
import {
  type EngineUrls,
  databaseFilesOf,
  embeddedPathsOf,
  openSelectedReplies,
  openSelectedBlobStore,
  openSelectedBus,
  openSelectedLimits,
  openSelectedReadStore,
  openSelectedEventStore,
} from './engine-selection.ts';

export type { EngineUrls };

type Closable = { close(): Promise<void>; missing?: () => string | null };

/** The engines of the settings. Each is opened on first use, and only once. */
export type EngineFactory = {
  store(): Promise<EventStore>;
  bus(): Promise<Bus>;
  reads(): Promise<ReadStore>;
  blobs(): Promise<BlobStore>;
  limits(): Promise<Limits>;
  /** Replies between processes that share the bus. */
  replies(): Promise<RenderReplies & { close(): Promise<void> }>;
  /** Monitors the disk of the embedded engines. */
  disk: DiskMonitor;
  /** Descriptions of damage in the files of the embedded engines. */
  damages(): string[];
  /** Like `missing`, for servers only. */
  serversMissing(): string[];
  /** Why the opened engines, or the disk of the embedded ones, are not available; empty when all are. */
  missing(): string[];
  close(): Promise<void>;
};

const allCollections = [...projections.flatMap(collectionsOf), apiKeyUsageCollection, leaderLeaseCollection];

/**
 * `onDeadLetter` gets messages that a server does not deliver any more. `onSetAside` gets damaged databases that are renamed
 * and rebuilt; without it a damaged database is an error.
 */
export type EngineEvents = { onDeadLetter?: (message: DeadLetter) => void; onSetAside?: (what: SetAsideFile) => void };

/** A factory for the engines of the settings. Opens none yet. */
export const createEngineFactory = (
  urls: EngineUrls,
  { onDeadLetter, onSetAside }: EngineEvents = {},
): EngineFactory => {
  const files = databaseFilesOf(urls);
  const { databases, blobFolders } = embeddedPathsOf(urls);
  const disk = openDiskMonitor([...new Set([...databases.map((file) => dirname(file)), ...blobFolders])]);
  /** Embedded engines report their errors to the disk monitor, also while they open. */
  const openWithDiskErrors = async <T extends Closable>(open: () => Promise<T>): Promise<T> => {
    try {
      const engine = await open();
      return isRemoteEngine(engine) ? engine : withDiskErrors(engine, disk);
    } catch (error) {
      throw disk.recordError(error);
    }
  };
  const opened: { engine: Promise<Closable>; ready: Closable | null }[] = [];
  const once = <T extends Closable>(open: () => Promise<T>): (() => Promise<T>) => {
    let engine: Promise<T> | undefined;
    return () => {
      if (engine) return engine;
      const entry: (typeof opened)[number] = { engine: (engine = open()), ready: null };
      void engine.then(
        (ready) => (entry.ready = ready),
        () => undefined,
      );
      opened.push(entry);
      return engine;
    };
  };
  const serversMissing = (): string[] => [...new Set(opened.flatMap(({ ready }) => ready?.missing?.() ?? []))];
  const store = once(async () => {
    requireUndamaged(files.eventLog);
    return withUpcasting(await openWithDiskErrors(() => openSelectedEventStore(urls)));
  });
  const reads = once(async () => {
    undamagedOrSetAside(files.readModels, onSetAside);
    return openWithDiskErrors(() => openSelectedReadStore(urls, allCollections));
  });
  return {
    store,
    reads,
    bus: once(() => openSelectedBus(urls, onDeadLetter)),
    blobs: once(async () => {
      const eventLog = await store();
      return openWithDiskErrors(() => openSelectedBlobStore(urls, eventLog));
    }),
    limits: once(async () => openSelectedLimits(urls, createUsageReader(await store(), await reads()))),
    replies: once(() => openSelectedReplies(urls)),
    disk,
    damages: () => disk.damageProblems(),
    serversMissing,
    missing: () => [...serversMissing(), ...[disk.missing() ?? []].flat()],
    close: async () => {
      disk.close();
      // Later engines may use earlier ones.
      for (const { engine } of opened.toReversed())
        await engine.then(
          (ready) => ready.close(),
          () => undefined,
        );
    },
  };
};

export type Engines = { store: EventStore; bus: Bus; reads: ReadStore; blobs: BlobStore } & Pick<
  EngineFactory,
  'missing' | 'close'
>;

/** Opens the engines that commands need: all that store data of the installation. */
export const openEngines = async (urls: EngineUrls): Promise<Engines> => {
  const factory = createEngineFactory(urls);
  const opened = await Promise.all([factory.store(), factory.bus(), factory.reads(), factory.blobs()]).catch(
    async (error: unknown) => {
      // Open engines would keep the process running.
      await factory.close();
      throw error;
    },
  );
  const [store, bus, reads, blobs] = opened;
  return { store, bus, reads, blobs, missing: () => factory.serversMissing(), close: () => factory.close() };
};

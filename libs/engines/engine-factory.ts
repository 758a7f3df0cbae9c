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
  databaseFoldersOf,
  openSelectedReplies,
  openSelectedBlobStore,
  openSelectedBus,
  openSelectedLimits,
  openSelectedReadStore,
  openSelectedEventStore,
} from './engine-selection.ts';

export type { EngineUrls };

type Closable = { close(): Promise<void>; missing?: () => string | null };

/** The engines of the settings, each opened when it is first asked for, and once. */
export type EngineFactory = {
  store(): Promise<EventStore>;
  bus(): Promise<Bus>;
  reads(): Promise<ReadStore>;
  blobs(): Promise<BlobStore>;
  limits(): Promise<Limits>;
  /** Between the processes that share the bus. */
  replies(): Promise<RenderReplies & { close(): Promise<void> }>;
  /** Of the embedded engines. */
  disk: DiskMonitor;
  /** What is damaged in the embedded engines' files, in sentences. */
  damages(): string[];
  /** As `missing`, of the servers alone. */
  serversMissing(): string[];
  /** What the engines that were asked for, and the disk of the embedded ones, say of why they cannot serve; empty when all can. */
  missing(): string[];
  close(): Promise<void>;
};

const allCollections = [...projections.flatMap(collectionsOf), apiKeyUsageCollection, leaderLeaseCollection];

/** `onDeadLetter` is told of messages that a server delivers no more, `onSetAside` of damaged databases that are built anew; without it they are left as they are. */
export type EngineEvents = { onDeadLetter?: (message: DeadLetter) => void; onSetAside?: (what: SetAsideFile) => void };

/** The engines that the settings name; none is opened yet. */
export const createEngineFactory = (
  urls: EngineUrls,
  { onDeadLetter, onSetAside }: EngineEvents = {},
): EngineFactory => {
  const files = databaseFilesOf(urls);
  const disk = openDiskMonitor(databaseFoldersOf(urls));
  /** An engine of this process tells the disk of its failures, be it in the middle of opening. */
  const placed = async <T extends Closable>(open: () => Promise<T>): Promise<T> => {
    try {
      const engine = await open();
      return isRemoteEngine(engine) ? engine : withDiskErrors(engine, disk);
    } catch (error) {
      throw disk.recordError(error);
    }
  };
  const taken: { engine: Promise<Closable>; ready: Closable | null }[] = [];
  const once = <T extends Closable>(open: () => Promise<T>): (() => Promise<T>) => {
    let engine: Promise<T> | undefined;
    return () => {
      if (engine) return engine;
      const entry: (typeof taken)[number] = { engine: (engine = open()), ready: null };
      void engine.then(
        (opened) => (entry.ready = opened),
        () => undefined,
      );
      taken.push(entry);
      return engine;
    };
  };
  const serversMissing = (): string[] => [...new Set(taken.flatMap(({ ready }) => ready?.missing?.() ?? []))];
  const store = once(async () => {
    requireUndamaged(files.eventLog);
    return withUpcasting(await placed(() => openSelectedEventStore(urls)));
  });
  const reads = once(async () => {
    undamagedOrSetAside(files.readModels, onSetAside);
    return placed(() => openSelectedReadStore(urls, allCollections));
  });
  return {
    store,
    reads,
    bus: once(() => openSelectedBus(urls, onDeadLetter)),
    blobs: once(async () => {
      requireUndamaged(files.smallBlobs);
      return placed(() => openSelectedBlobStore(urls));
    }),
    limits: once(async () => openSelectedLimits(urls, createUsageReader(await store(), await reads()))),
    replies: once(() => openSelectedReplies(urls)),
    disk,
    damages: () => disk.damageProblems(),
    serversMissing,
    missing: () => [...serversMissing(), ...[disk.missing() ?? []].flat()],
    close: async () => {
      disk.close();
      // What was opened last may lean on what was opened first.
      for (const { engine } of taken.toReversed())
        await engine.then(
          (opened) => opened.close(),
          () => undefined,
        );
    },
  };
};

export type Engines = { store: EventStore; bus: Bus; reads: ReadStore; blobs: BlobStore; limits: Limits } & Pick<
  EngineFactory,
  'missing' | 'close'
>;

/** All engines at once, for whoever needs most of them. */
export const openEngines = async (urls: EngineUrls): Promise<Engines> => {
  const shelf = createEngineFactory(urls);
  const opened = await Promise.all([shelf.store(), shelf.bus(), shelf.reads(), shelf.blobs(), shelf.limits()]).catch(
    async (error: unknown) => {
      // Those that are open would keep the process from ending.
      await shelf.close();
      throw error;
    },
  );
  const [store, bus, reads, blobs, limits] = opened;
  return { store, bus, reads, blobs, limits, missing: () => shelf.serversMissing(), close: () => shelf.close() };
};

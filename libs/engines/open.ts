import type { Answers } from '#libs/answers/port.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { DeadLetter } from '#libs/bus/jetstream.ts';
import type { Bus } from '#libs/bus/port.ts';
import { type Disk, openDisk } from '#libs/disk/disk.ts';
import { leaseCollection } from '#libs/election/lease.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import { withUpcasting } from '#libs/event-store/upcasting.ts';
import type { Limits } from '#libs/limits/port.ts';
import { keyUseCollection } from '#libs/projections/key-renders.ts';
import { projections } from '#libs/projections/all.ts';
import { collectionsOf } from '#libs/projections/projection.ts';
import { usageReader } from '#libs/projections/usage-reader.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { withDisk } from './decorators.ts';
import { isRemote } from './remote.ts';
import { requireSound, type SetAside, soundOrSetAside } from './sound-files.ts';
import { type EngineUrls, filesOf, foldersOf, pickAnswers, pickBlobs, pickBus, pickLimits, pickReads, pickStore } from './pick.ts';

export type { EngineUrls };

type Closable = { close(): Promise<void>; missing?: () => string | null };

/** The engines of the settings, each opened when it is first asked for, and once. */
export type EngineShelf = {
  store(): Promise<EventStore>;
  bus(): Promise<Bus>;
  reads(): Promise<ReadStore>;
  blobs(): Promise<BlobStore>;
  limits(): Promise<Limits>;
  /** Between the processes that share the bus. */
  answers(): Promise<Answers & { close(): Promise<void> }>;
  /** Of the embedded engines. */
  disk: Disk;
  /** What is damaged in the embedded engines' files, in sentences. */
  damaged(): string[];
  /** As `missing`, of the servers alone. */
  serversMissing(): string[];
  /** What the engines that were asked for, and the disk of the embedded ones, say of why they cannot serve; empty when all can. */
  missing(): string[];
  close(): Promise<void>;
};

const everyCollection = [...projections.flatMap(collectionsOf), keyUseCollection, leaseCollection];

/** `onDeadLetter` is told of messages that a server delivers no more, `onSetAside` of damaged databases that are built anew; without it they are left as they are. */
export type ShelfEvents = { onDeadLetter?: (message: DeadLetter) => void; onSetAside?: (what: SetAside) => void };

/** The engines that the settings name; none is opened yet. */
export const openShelf = (urls: EngineUrls, { onDeadLetter, onSetAside }: ShelfEvents = {}): EngineShelf => {
  const files = filesOf(urls);
  const disk = openDisk(foldersOf(urls));
  /** An engine of this process tells the disk of its failures, be it in the middle of opening. */
  const placed = async <T extends Closable>(open: () => Promise<T>): Promise<T> => {
    try {
      const engine = await open();
      return isRemote(engine) ? engine : withDisk(engine, disk);
    } catch (error) {
      throw disk.raised(error);
    }
  };
  const taken: { engine: Promise<Closable>; ready: Closable | null }[] = [];
  const once = <T extends Closable>(open: () => Promise<T>): (() => Promise<T>) => {
    let engine: Promise<T> | undefined;
    return () => {
      if (engine) return engine;
      const entry: (typeof taken)[number] = { engine: (engine = open()), ready: null };
      void engine.then((opened) => (entry.ready = opened), () => undefined);
      taken.push(entry);
      return engine;
    };
  };
  const serversMissing = (): string[] => [...new Set(taken.flatMap(({ ready }) => ready?.missing?.() ?? []))];
  const store = once(async () => {
    requireSound(files.log);
    return withUpcasting(await placed(() => pickStore(urls)));
  });
  const reads = once(async () => {
    soundOrSetAside(files.reads, onSetAside);
    return placed(() => pickReads(urls, everyCollection));
  });
  return {
    store,
    reads,
    bus: once(() => pickBus(urls, onDeadLetter)),
    blobs: once(async () => {
      requireSound(files.blobs);
      return placed(() => pickBlobs(urls));
    }),
    limits: once(async () => pickLimits(urls, usageReader(await store(), await reads()))),
    answers: once(() => pickAnswers(urls)),
    disk,
    damaged: () => disk.damaged(),
    serversMissing,
    missing: () => [...serversMissing(), ...[disk.missing() ?? []].flat()],
    close: async () => {
      disk.close();
      // What was opened last may lean on what was opened first.
      for (const { engine } of taken.toReversed()) await engine.then((opened) => opened.close(), () => undefined);
    },
  };
};

export type Engines = { store: EventStore; bus: Bus; reads: ReadStore; blobs: BlobStore; limits: Limits } & Pick<EngineShelf, 'missing' | 'close'>;

/** All engines at once, for whoever needs most of them. */
export const openEngines = async (urls: EngineUrls): Promise<Engines> => {
  const shelf = openShelf(urls);
  const opened = await Promise.all([shelf.store(), shelf.bus(), shelf.reads(), shelf.blobs(), shelf.limits()]).catch(async (error: unknown) => {
    // Those that are open would keep the process from ending.
    await shelf.close();
    throw error;
  });
  const [store, bus, reads, blobs, limits] = opened;
  return { store, bus, reads, blobs, limits, missing: () => shelf.serversMissing(), close: () => shelf.close() };
};

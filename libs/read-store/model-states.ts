import { randomInt } from 'node:crypto';
import { createChangeSignal } from '#libs/concurrency/change-signal.ts';
import { shareRuns } from '#libs/concurrency/shared-runs.ts';
import type { LastEvent, DocumentStore, ServingGeneration } from './port.ts';

/** Holds the checkpoints of all read models in one document. */
export const checkpointCollection = { name: 'checkpoints', indexes: [] };

/** `shadow` is the generation that a rebuild is building. */
export type ModelState = ServingGeneration & { shadow?: string };

/**
 * The state of all read models. It is one document, so that one write moves the checkpoints of a batch, and one write
 * switches a model over to another generation.
 */
export type ModelStates = { models: Record<string, ModelState>; lastEvent: LastEvent | null };

const modelStatesKey = { collection: checkpointCollection.name, generation: '', id: 'read models' };
/** How old, in milliseconds, the state may be from which a process chooses a generation. */
const stateCacheMs = 200;
/** How long a replaced generation is kept: a query that has chosen it may still wait for the server. */
export const replacedGenerationKeptMs = 1_000;
/** A query that takes less time has read a generation that was still stored. */
export const safeQueryMs = replacedGenerationKeptMs - stateCacheMs;
const pollIntervalMs = { min: 5, max: 25 };

/** The state of a model; that of a model without events if it has none. */
export const modelStateOf = ({ models }: ModelStates, model: string): ModelState =>
  models[model] ?? { generation: '', position: 0 };

/** `since` is a time at which this was the latest version, `knownAt` the time at which this process knew of it. */
type CachedStates = { states: ModelStates; version: number; since: number; knownAt: number };

/** A lower version is newer if it was read after the higher one was known: the storage was emptied or restored. */
const isNewerThan = (one: CachedStates, other: CachedStates): boolean => {
  if (one.version === other.version) return one.since > other.since;
  return one.version > other.version || one.since >= other.knownAt;
};

/** Random for the first version, so that none of an emptied storage is that of the states before. */
const versionAfter = (version: number): number => (version === 0 ? randomInt(1, 2 ** 40) : version + 1);

/**
 * Reads, caches and writes the states. Nothing else writes their document. `clock` returns milliseconds and never goes
 * back.
 */
export const openModelStates = (documents: DocumentStore, clock = (): number => performance.now()) => {
  const changes = createChangeSignal();
  let cached: CachedStates | undefined;
  let isClosed = false;

  const remember = (received: Omit<CachedStates, 'knownAt'>): CachedStates => {
    const latest = { ...received, knownAt: clock() };
    if (!cached || isNewerThan(latest, cached)) cached = latest;
    return latest;
  };
  const read = async (): Promise<CachedStates> => {
    const since = clock();
    const { document, position } = await documents.read(modelStatesKey);
    const states = (document as ModelStates | null) ?? { models: {}, lastEvent: null };
    return remember({ states, version: position, since });
  };
  /** Starts reading after the call. */
  const load = shareRuns(read);

  return {
    readLatest: async (): Promise<ModelStates> => (await load()).states,
    /** At most `stateCacheMs` old. */
    readRecent: async (): Promise<ModelStates> =>
      (cached && clock() - cached.since < stateCacheMs ? cached : await load()).states,
    /** Applies `change` to the states and writes them; repeats both if another process wrote at the same time. */
    update: async (change: (states: ModelStates) => ModelStates): Promise<void> => {
      for (let before = cached ?? (await load()); ; before = await load()) {
        const states = change(before.states);
        const version = versionAfter(before.version);
        if (states === before.states) return;
        const since = clock();
        if (await documents.replace({ ...modelStatesKey, document: states, position: version }, before.version)) {
          remember({ states, version, since });
          return changes.notify();
        }
      }
    },
    /** Waits until `isWanted` is true for the states. Checks after each change by this process, and polls for changes by others. */
    waitUntil: async (isWanted: (states: ModelStates) => boolean, timeoutMs: number): Promise<boolean> => {
      const deadline = clock() + timeoutMs;
      for (let pauseMs = pollIntervalMs.min; !isClosed; pauseMs = Math.min(1.3 * pauseMs, pollIntervalMs.max)) {
        const version = changes.version();
        if (isWanted((await load()).states)) return !isClosed;
        const leftMs = deadline - clock();
        if (leftMs <= 0) return false;
        await changes.waitForChange(undefined, Math.min(pauseMs, leftMs), version);
      }
      return false;
    },
    close: (): void => {
      isClosed = true;
      changes.notify();
    },
  };
};

import { createChangeSignal } from '#libs/concurrency/change-signal.ts';
import type { LastEvent, DocumentStore, ServingGeneration } from './port.ts';

/** Checkpoints of the read models, in one document. */
export const checkpointCollection = { name: 'checkpoints', indexes: [] };

/** `shadow` is the generation that is being built. */
export type ModelState = ServingGeneration & { shadow?: string };

/**
 * What is known of the read models. One document holds all of it, so that one write moves the checkpoints of a batch,
 * and one write switches a model over to another generation.
 */
export type ModelStates = { models: Record<string, ModelState>; lastEvent: LastEvent | null };

const modelStatesKey = { collection: checkpointCollection.name, generation: '', id: 'read models' };
/** A process may choose a generation by what it read this long ago, in milliseconds. */
const stateCacheMs = 200;
/** What has ceased to serve is kept for this long: a query that has chosen it may still wait for the server. */
export const replacedGenerationKeptMs = 1_000;
/** An answer within this time is of a generation that was still stored. */
export const safeQueryMs = replacedGenerationKeptMs - stateCacheMs;
const pollIntervalMs = { min: 5, max: 25 };

export const modelStateOf = ({ models }: ModelStates, model: string): ModelState =>
  models[model] ?? { generation: '', position: 0 };

/** `since` is a time at which there was no later version. */
type CachedStates = { states: ModelStates; version: number; since: number };

const isNewerThan = (one: CachedStates, other: CachedStates): boolean =>
  one.version === other.version ? one.since > other.since : one.version > other.version;

/**
 * The states as this process knows them, and the only writer of their document. `clock` tells milliseconds and is never
 * set back.
 */
export const openModelStates = (documents: DocumentStore, clock = (): number => performance.now()) => {
  const changes = createChangeSignal();
  let readRecent: CachedStates | undefined;
  let running: Promise<CachedStates> | undefined;
  let following: Promise<CachedStates> | undefined;
  let isClosed = false;

  const learn = (learnt: CachedStates): CachedStates => {
    if (!readRecent || isNewerThan(learnt, readRecent)) readRecent = learnt;
    return learnt;
  };
  const read = async (): Promise<CachedStates> => {
    const since = clock();
    const { document, position } = await documents.read(modelStatesKey);
    const states = (document as ModelStates | null) ?? { models: {}, lastEvent: null };
    return learn({ states, version: position, since });
  };
  /** Read after the call. Callers that come while one reading is under way share the next one. */
  const readLatest = async (): Promise<CachedStates> => {
    if (!running) return (running = read().finally(() => (running = undefined)));
    return (following ??= running
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => {
        following = undefined;
        return readLatest();
      }));
  };

  return {
    fresh: async (): Promise<ModelStates> => (await readLatest()).states,
    /** At most a moment old. */
    known: async (): Promise<ModelStates> =>
      (readRecent && clock() - readRecent.since < stateCacheMs ? readRecent : await readLatest()).states,
    /** Writes what `change` makes of the states; repeats it where another process wrote meanwhile. */
    update: async (change: (states: ModelStates) => ModelStates): Promise<void> => {
      for (let at = readRecent ?? (await readLatest()); ; at = await readLatest()) {
        const states = change(at.states);
        const version = at.version + 1;
        if (states === at.states) return;
        const since = clock();
        if (await documents.replace({ ...modelStatesKey, document: states, position: version }, at.version)) {
          learn({ states, version, since });
          return changes.notify();
        }
      }
    },
    /** Looks until the states are as wanted: at once after a change by this process, else by polling. */
    waitUntil: async (isWanted: (states: ModelStates) => boolean, timeoutMs: number): Promise<boolean> => {
      const giveUpAt = clock() + timeoutMs;
      for (let pauseMs = pollIntervalMs.min; !isClosed; pauseMs = Math.min(1.3 * pauseMs, pollIntervalMs.max)) {
        const seen = changes.version();
        if (isWanted((await readLatest()).states)) return !isClosed;
        const leftMs = giveUpAt - clock();
        if (leftMs <= 0) return false;
        await changes.waitForChange(undefined, Math.min(pauseMs, leftMs), seen);
      }
      return false;
    },
    close: (): void => {
      isClosed = true;
      changes.notify();
    },
  };
};

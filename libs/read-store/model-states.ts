import { createChangeSignal } from '#libs/concurrency/change-signal.ts';
import type { LastEvent, PositionedDocuments, Serving } from './port.ts';

/** Checkpoints of the read models, in one document. */
export const checkpointCollection = { name: 'checkpoints', indexes: [] };

/** `shadow` is the generation that is being built. */
export type ModelState = Serving & { shadow?: string };

/**
 * What is known of the read models. One document holds all of it, so that one write moves the checkpoints of a batch,
 * and one write switches a model over to another generation.
 */
export type ModelStates = { models: Record<string, ModelState>; lastEvent: LastEvent | null };

const key = { collection: checkpointCollection.name, generation: '', id: 'read models' };
/** A process may choose a generation by what it read this long ago, in milliseconds. */
const knownForMs = 200;
/** What has ceased to serve is kept for this long: a query that has chosen it may still wait for the server. */
export const replacedKeptMs = 1_000;
/** An answer within this time is of a generation that was still stored. */
export const surelyStoredMs = replacedKeptMs - knownForMs;
const pollMs = { first: 5, longest: 25 };

export const stateIn = ({ models }: ModelStates, model: string): ModelState =>
  models[model] ?? { generation: '', position: 0 };

/** `since` is a time at which there was no later version. */
type Known = { states: ModelStates; version: number; since: number };

const isLater = (one: Known, other: Known): boolean =>
  one.version === other.version ? one.since > other.since : one.version > other.version;

/**
 * The states as this process knows them, and the only writer of their document. `clock` tells milliseconds and is never
 * set back.
 */
export const openModelStates = (documents: PositionedDocuments, clock = (): number => performance.now()) => {
  const changes = createChangeSignal();
  let known: Known | undefined;
  let running: Promise<Known> | undefined;
  let following: Promise<Known> | undefined;
  let isClosed = false;

  const learn = (learnt: Known): Known => {
    if (!known || isLater(learnt, known)) known = learnt;
    return learnt;
  };
  const read = async (): Promise<Known> => {
    const since = clock();
    const { document, position } = await documents.read(key);
    const states = (document as ModelStates | null) ?? { models: {}, lastEvent: null };
    return learn({ states, version: position, since });
  };
  /** Read after the call. Callers that come while one reading is under way share the next one. */
  const fresh = async (): Promise<Known> => {
    if (!running) return (running = read().finally(() => (running = undefined)));
    return (following ??= running.then(() => undefined, () => undefined).then(() => {
      following = undefined;
      return fresh();
    }));
  };

  return {
    fresh: async (): Promise<ModelStates> => (await fresh()).states,
    /** At most a moment old. */
    known: async (): Promise<ModelStates> =>
      (known && clock() - known.since < knownForMs ? known : await fresh()).states,
    /** Writes what `change` makes of the states; repeats it where another process wrote meanwhile. */
    update: async (change: (states: ModelStates) => ModelStates): Promise<void> => {
      for (let at = known ?? (await fresh()); ; at = await fresh()) {
        const states = change(at.states);
        const version = at.version + 1;
        if (states === at.states) return;
        const since = clock();
        if (await documents.replace({ ...key, document: states, position: version }, at.version)) {
          learn({ states, version, since });
          return changes.notify();
        }
      }
    },
    /** Looks until the states are as wanted: at once after a change by this process, else by polling. */
    until: async (isWanted: (states: ModelStates) => boolean, timeoutMs: number): Promise<boolean> => {
      const giveUpAt = clock() + timeoutMs;
      for (let pauseMs = pollMs.first; !isClosed; pauseMs = Math.min(1.3 * pauseMs, pollMs.longest)) {
        const seen = changes.version();
        if (isWanted((await fresh()).states)) return !isClosed;
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

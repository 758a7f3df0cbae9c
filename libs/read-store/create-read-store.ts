import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  checkpointCollection,
  type ModelState,
  type ModelStates,
  openModelStates,
  replacedGenerationKeptMs,
  modelStateOf,
  safeQueryMs,
} from './model-states.ts';
import { type Collection, type DocumentEngine, type Query, type ReadStore, RebuildSuperseded } from './port.ts';

/** The fields that queries of a collection may name. */
export const indexedFieldsOf = ({ indexes }: Pick<Collection, 'indexes'>): string[] => [...new Set(indexes.flat())];

/** Every collection that a store with these collections has. */
export const withCheckpoints = (collections: readonly Collection[]): Collection[] => [
  ...collections,
  checkpointCollection,
];

/** Without this check not every engine would find what is there. */
const indexedFieldsCheck = (collections: readonly Collection[]) => {
  const declared = new Map(collections.map((one) => [one.name, new Set(indexedFieldsOf(one))]));
  return (collection: string, { where, range, sort }: Pick<Query, 'where' | 'range' | 'sort'>): void => {
    const asked = [...Object.keys(where), ...(range ? [range.by] : []), ...(sort ? [sort.by] : [])];
    const strange = asked.find((field) => !declared.get(collection)?.has(field));
    if (strange === undefined) return;
    throw new RangeError(`${collection} is asked by ${strange}, which is not among its indexes`);
  };
};

const withModelState = (states: ModelStates, model: string, state: ModelState): ModelStates => ({
  ...states,
  models: { ...states.models, [model]: state },
});

/** Checks on the states that a rebuild is still the latest of its model. @throws RebuildSuperseded */
const requireLatestShadow = (states: ModelStates, model: string, generation: string): void => {
  if (modelStateOf(states, model).shadow !== generation) throw new RebuildSuperseded(model);
};

/**
 * The read store over an engine: generations, checkpoints and rebuilds are the same on every engine. `clock` tells
 * milliseconds and is never set back.
 */
export const createReadStore = (
  engine: DocumentEngine,
  collections: readonly Collection[],
  clock = (): number => performance.now(),
): ReadStore => {
  const states = openModelStates(engine, clock);
  const requireFields = indexedFieldsCheck(collections);
  const modelOf = new Map(collections.map(({ name, model }) => [name, model]));
  const collectionsOf = (model: string): Collection[] => collections.filter((one) => one.model === model);
  const generationOf = async (collection: string): Promise<string> => {
    const model = modelOf.get(collection);
    return model === undefined ? '' : modelStateOf(await states.known(), model).generation;
  };

  /** Asks what serves. An answer that took long may be of a generation that was removed meanwhile: it is asked again. */
  const ofServing = async <T>(collection: string, ask: (generation: string) => Promise<T>): Promise<T> => {
    const begun = clock();
    const generation = await generationOf(collection);
    const answer = await ask(generation);
    const isSure = clock() - begun < safeQueryMs || generation === (await generationOf(collection));
    return isSure ? answer : ofServing(collection, ask);
  };

  /** Generations that neither serve nor are being built. */
  const unused = async (): Promise<{ name: string; generation: string }[]> => {
    const ofModels = collections.flatMap(({ name, model }) => (model === undefined ? [] : { name, model }));
    const stored = await Promise.all(
      ofModels.map(async (one) =>
        (await engine.listGenerations(one.name)).map((generation) => ({ ...one, generation })),
      ),
    );
    // Read second: a generation is noted there before anything is stored in it.
    const now = await states.fresh();
    return stored.flat().filter(({ model, generation }) => {
      const { generation: serving, shadow } = modelStateOf(now, model);
      return generation !== serving && generation !== shadow;
    });
  };

  return {
    read: (key) => engine.read(key),
    write: (documents) => engine.write(documents),
    replace: (document, from) => engine.replace(document, from),
    get: (collection, id) =>
      ofServing(collection, async (generation) => (await engine.read({ collection, generation, id })).document),
    find: async (collection, query) => {
      requireFields(collection, query);
      if (query.limit === 0) return [];
      return ofServing(collection, (generation) => engine.find(collection, generation, query));
    },
    count: async (collection, where) => {
      requireFields(collection, { where });
      return ofServing(collection, (generation) => engine.count(collection, generation, where));
    },

    servingGenerations: async (models) => {
      const now = await states.fresh();
      return models
        .map((model) => modelStateOf(now, model))
        .map(({ generation, position }) => ({ generation, position }));
    },
    checkpoint: async (model) => modelStateOf(await states.fresh(), model).position,
    moveCheckpoints: async (generations, position, last) => {
      let areServing = true;
      await states.update((now) => {
        const written = Object.entries(generations);
        const serving = written.filter(([model, generation]) => modelStateOf(now, model).generation === generation);
        areServing = serving.length === written.length;
        const behind = serving.filter(([model]) => modelStateOf(now, model).position < position);
        if (behind.length === 0) return now;
        const moved = behind.map(([model]) => [model, { ...modelStateOf(now, model), position }] as const);
        const models = { ...now.models, ...Object.fromEntries(moved) };
        const isLater = last !== undefined && last.position > (now.lastEvent?.position ?? 0);
        return { models, lastEvent: isLater ? last : now.lastEvent };
      });
      return areServing;
    },
    lastEvent: async () => (await states.fresh()).lastEvent,
    clearLastEvent: () => states.update((now) => (now.lastEvent === null ? now : { ...now, lastEvent: null })),
    waitForCheckpoint: (model, position, timeoutMs) =>
      states.waitUntil((now) => modelStateOf(now, model).position >= position, timeoutMs),

    beginRebuild: async (model) => {
      const generation = randomUUID().slice(0, 8);
      await states.fresh();
      await states.update((now) => withModelState(now, model, { ...modelStateOf(now, model), shadow: generation }));
      for (const collection of collectionsOf(model)) await engine.createIndexes(collection, generation);
      return generation;
    },
    requireShadow: async (model, generation) => requireLatestShadow(await states.known(), model, generation),
    switchOver: async (model, { generation, position }, even) => {
      let isSwitched = false;
      await states.fresh();
      await states.update((now) => {
        requireLatestShadow(now, model, generation);
        isSwitched = even === 'behind' || modelStateOf(now, model).position <= position;
        return isSwitched ? withModelState(now, model, { generation, position }) : now;
      });
      return isSwitched;
    },
    abandonRebuild: async (model, generation) => {
      let isServing = false;
      await states.fresh();
      await states.update((now) => {
        const { shadow, ...state } = modelStateOf(now, model);
        // The reply to the switch may have been lost.
        isServing = state.generation === generation;
        return shadow === generation ? withModelState(now, model, state) : now;
      });
      if (!isServing) for (const { name } of collectionsOf(model)) await engine.dropGeneration(name, generation);
    },
    dropUnusedGenerations: async () => {
      const found = await unused();
      if (found.length > 0) await sleep(replacedGenerationKeptMs);
      for (const { name, generation } of found) await engine.dropGeneration(name, generation);
    },

    installationId: () => engine.installationId(),
    setInstallationId: (installation) => engine.setInstallationId(installation),
    close: async () => {
      states.close();
      await engine.close();
    },
    ...(engine.missing && { missing: engine.missing }),
  };
};

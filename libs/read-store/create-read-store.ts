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
import {
  allIndexesOf,
  type Collection,
  type DocumentEngine,
  type Query,
  type ReadStore,
  RebuildSuperseded,
} from './port.ts';

/** The fields that queries of a collection may use. */
export const indexedFieldsOf = (collection: Collection): string[] => [...new Set(allIndexesOf(collection).flat())];

/** The given collections and the one for checkpoints. */
export const withCheckpoints = (collections: readonly Collection[]): Collection[] => [
  ...collections,
  checkpointCollection,
];

/** Without this check a query by another field finds documents on one engine and none on another. */
const indexedFieldsCheck = (collections: readonly Collection[]) => {
  const declared = new Map(collections.map((collection) => [collection.name, new Set(indexedFieldsOf(collection))]));
  return (collection: string, { where, range, sort }: Pick<Query, 'where' | 'range' | 'sort'>): void => {
    const fields = [...Object.keys(where), ...(range ? [range.by] : []), ...(sort ? [sort.by] : [])];
    const unknown = fields.find((field) => !declared.get(collection)?.has(field));
    if (unknown === undefined) return;
    throw new RangeError(`query of ${collection} by ${unknown}, which is not in its indexes`);
  };
};

const newGeneration = (): string => randomUUID().slice(0, 8);

const withModelState = (states: ModelStates, model: string, state: ModelState): ModelStates => ({
  ...states,
  models: { ...states.models, [model]: state },
});

/** @throws RebuildSuperseded if the rebuild is not the latest of its model */
const requireLatestShadow = (states: ModelStates, model: string, generation: string): void => {
  if (modelStateOf(states, model).shadow !== generation) throw new RebuildSuperseded(model);
};

/**
 * A read store on an engine: adds generations, checkpoints and rebuilds. `clock` returns milliseconds and never goes
 * back.
 */
export const createReadStore = (
  engine: DocumentEngine,
  collections: readonly Collection[],
  clock = (): number => performance.now(),
): ReadStore => {
  const states = openModelStates(engine, clock);
  const requireFields = indexedFieldsCheck(collections);
  const modelOf = new Map(collections.map(({ name, model }) => [name, model]));
  const collectionsOf = (model: string): Collection[] => collections.filter((collection) => collection.model === model);
  const createIndexes = async (model: string, generation: string): Promise<void> => {
    for (const collection of collectionsOf(model)) await engine.createIndexes(collection, generation);
  };
  const generationOf = async (collection: string): Promise<string> => {
    const model = modelOf.get(collection);
    return model === undefined ? '' : modelStateOf(await states.readRecent(), model).generation;
  };

  /** Queries the serving generation. If the query took long, its generation may have been removed: then it is repeated. */
  const queryServing = async <T>(collection: string, query: (generation: string) => Promise<T>): Promise<T> => {
    const start = clock();
    const generation = await generationOf(collection);
    const result = await query(generation);
    const isValid = clock() - start < safeQueryMs || generation === (await generationOf(collection));
    return isValid ? result : queryServing(collection, query);
  };

  /** Generations that neither serve nor are being built. */
  const findUnused = async (): Promise<{ name: string; generation: string }[]> => {
    const ofModels = collections.flatMap(({ name, model }) => (model === undefined ? [] : { name, model }));
    const stored = await Promise.all(
      ofModels.map(async (one) =>
        (await engine.listGenerations(one.name)).map((generation) => ({ ...one, generation })),
      ),
    );
    // Read after the generations: a new generation is recorded in the states before documents are stored in it.
    const now = await states.readLatest();
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
      queryServing(collection, async (generation) => (await engine.read({ collection, generation, id })).document),
    getMany: async (collection, ids) =>
      ids.length === 0 ? [] : queryServing(collection, (generation) => engine.readMany(collection, generation, ids)),
    find: async (collection, query) => {
      requireFields(collection, query);
      if (query.limit === 0) return [];
      return queryServing(collection, (generation) => engine.find(collection, generation, query));
    },
    findIds: async (collection, query) => {
      requireFields(collection, query);
      return queryServing(collection, (generation) => engine.findIds(collection, generation, query));
    },
    count: async (collection, where) => {
      requireFields(collection, { where });
      return queryServing(collection, (generation) => engine.count(collection, generation, where));
    },

    servingGenerations: async (models) => {
      const now = await states.readLatest();
      return models
        .map((model) => modelStateOf(now, model))
        .map(({ generation, position }) => ({ generation, position }));
    },
    checkpoint: async (model) => modelStateOf(await states.readLatest(), model).position,
    moveCheckpoints: async (written, position, last) => {
      // Those of a storage that was emptied are gone.
      for (const [model, from] of Object.entries(written))
        if (from.position === 0) await createIndexes(model, from.generation);
      const emptyGeneration = newGeneration();
      let areServing = true;
      await states.update((now) => {
        areServing = true;
        const changed: Record<string, ModelState> = {};
        let lastEvent = now.lastEvent;
        for (const [model, from] of Object.entries(written)) {
          const stored = modelStateOf(now, model);
          if (stored.generation !== from.generation) areServing = false;
          else if (stored.position < from.position) {
            areServing = false;
            changed[model] = { generation: emptyGeneration, position: 0 };
          } else if (stored.position < position) {
            changed[model] = { ...stored, position };
            if (last !== undefined && last.position > (lastEvent?.position ?? 0)) lastEvent = last;
          }
        }
        if (Object.keys(changed).length === 0) return now;
        return { models: { ...now.models, ...changed }, lastEvent };
      });
      return areServing;
    },
    lastEvent: async () => (await states.readLatest()).lastEvent,
    clearLastEvent: () => states.update((now) => (now.lastEvent === null ? now : { ...now, lastEvent: null })),
    waitForCheckpoint: (model, position, timeoutMs) =>
      states.waitUntil((now) => modelStateOf(now, model).position >= position, timeoutMs),

    beginRebuild: async (model) => {
      const generation = newGeneration();
      await states.readLatest();
      await states.update((now) => withModelState(now, model, { ...modelStateOf(now, model), shadow: generation }));
      await createIndexes(model, generation);
      return generation;
    },
    requireShadow: async (model, generation) => requireLatestShadow(await states.readRecent(), model, generation),
    switchOver: async (model, { generation, position }, allow) => {
      let isSwitched = false;
      await states.readLatest();
      await states.update((now) => {
        requireLatestShadow(now, model, generation);
        isSwitched = allow === 'behind' || modelStateOf(now, model).position <= position;
        return isSwitched ? withModelState(now, model, { generation, position }) : now;
      });
      return isSwitched;
    },
    abandonRebuild: async (model, generation) => {
      let isServing = false;
      await states.readLatest();
      await states.update((now) => {
        const { shadow, ...state } = modelStateOf(now, model);
        // The switch over may have succeeded although its reply was lost.
        isServing = state.generation === generation;
        return shadow === generation ? withModelState(now, model, state) : now;
      });
      if (!isServing) for (const { name } of collectionsOf(model)) await engine.dropGeneration(name, generation);
    },
    dropUnusedGenerations: async () => {
      const found = await findUnused();
      if (found.length > 0) await sleep(replacedGenerationKeptMs);
      for (const { name, generation } of found) await engine.dropGeneration(name, generation);
    },

    installationId: () => engine.installationId(),
    setInstallationId: (installation) => engine.setInstallationId(installation),
    close: async () => {
      states.close();
      await engine.close();
    },
  };
};

import type { Collection, Document, ReadStore, Scalar, StoredDocument } from '#libs/read-store/port.ts';

export const people = 'people';
export const places = 'places';

/** Field names with special characters. */
export const unusualFieldNames = ['with space', 'with-dash', "o'clock", 'größe', '2026-01-02', '[0]'];

export const collections: readonly Collection[] = [
  {
    name: people,
    model: 'people',
    indexes: [['team', 'age'], ['address.city'], ['name'], ...unusualFieldNames.map((field) => [field])],
  },
  { name: places, model: 'places', indexes: [] },
];

/** A model at its start. */
export const neverRebuilt = { generation: '', position: 0 };

/** A document of a collection, without a position; null removes it. */
type DocumentWrite = { id: string; document: Document | null; collection: string };
export const documentWrite = (id: string, document: Document | null, collection = people): DocumentWrite => ({
  id,
  document,
  collection,
});

/** Documents of the serving generations, at one position. */
export const storedDocumentsAt = async (
  store: ReadStore,
  position: number,
  ...put: readonly DocumentWrite[]
): Promise<StoredDocument[]> => {
  const serving = await store.servingGenerations(put.map(({ collection }) => collection));
  return put.map((one, index) => ({ ...one, generation: serving[index]!.generation, position }));
};

/** Writes documents at a position and moves the checkpoint of the model `people` there. False if the checkpoint does not move. */
export const writeDocumentsAt = async (
  store: ReadStore,
  position: number,
  ...put: readonly DocumentWrite[]
): Promise<boolean> => {
  const [serving] = await store.servingGenerations(['people']);
  await store.write(await storedDocumentsAt(store, position, ...put));
  return store.moveCheckpoints({ people: serving! }, position);
};

/** Writes documents at the next position of the model `people`. */
export const writeDocuments = async (store: ReadStore, ...given: readonly DocumentWrite[]): Promise<void> => {
  await writeDocumentsAt(store, (await store.checkpoint('people')) + 1, ...given);
};

/** The ids of the found people, in order. Their documents contain the id. */
export const findIds = async (store: ReadStore, where: Record<string, Scalar>): Promise<string[]> =>
  (await store.find(people, { where, limit: 1_000 })).map(({ id }) => id as string);

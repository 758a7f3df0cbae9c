import type { Collection, Document, ReadStore, Scalar, StoredDocument } from '#libs/read-store/port.ts';

export const people = 'people';
export const places = 'places';

/** Names of fields that mean something elsewhere. */
export const unusualFieldNames = ['with space', 'with-dash', "o'clock", 'größe', '2026-01-02', '[0]'];

export const collections: readonly Collection[] = [
  {
    name: people,
    model: 'people',
    indexes: [['team', 'age'], ['address.city'], ['name'], ...unusualFieldNames.map((field) => [field])],
  },
  { name: places, model: 'places', indexes: [] },
];

/** A document of a collection, null where it is removed; `put` gives it its position. */
type DocumentWrite = { id: string; document: Document | null; collection: string };
export const documentWrite = (id: string, document: Document | null, collection = people): DocumentWrite => ({
  id,
  document,
  collection,
});

/** Documents of the generations that serve, at one position. */
export const storedDocumentsAt = async (
  store: ReadStore,
  position: number,
  ...put: readonly DocumentWrite[]
): Promise<StoredDocument[]> => {
  const serving = await store.servingGenerations(put.map(({ collection }) => collection));
  return put.map((one, index) => ({ ...one, generation: serving[index]!.generation, position }));
};

/** Writes documents at a position, and moves the checkpoint of the model `people` there. False where that is refused. */
export const writeDocumentsAt = async (
  store: ReadStore,
  position: number,
  ...put: readonly DocumentWrite[]
): Promise<boolean> => {
  const [serving] = await store.servingGenerations(['people']);
  await store.write(await storedDocumentsAt(store, position, ...put));
  return store.moveCheckpoints({ people: serving!.generation }, position);
};

/** Writes documents at the next position of the model `people`. */
export const writeDocuments = async (store: ReadStore, ...given: readonly DocumentWrite[]): Promise<void> => {
  await writeDocumentsAt(store, (await store.checkpoint('people')) + 1, ...given);
};

/** Empties a model, so that it is at position 0. */
export const emptyModel = async (store: ReadStore, model: string): Promise<void> => {
  await store.switchOver(model, { generation: await store.beginRebuild(model), position: 0 }, 'behind');
};

/** The ids of those who are found, in order; their documents hold their own id. */
export const findIds = async (store: ReadStore, where: Record<string, Scalar>): Promise<string[]> =>
  (await store.find(people, { where, limit: 1_000 })).map(({ id }) => id as string);

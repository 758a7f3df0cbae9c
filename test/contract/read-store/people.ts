import type { Collection, Document, ReadStore, Scalar, StoredDocument } from '#libs/read-store/port.ts';

export const people = 'people';
export const places = 'places';

/** Names of fields that mean something elsewhere. */
export const strangeFields = ['with space', 'with-dash', "o'clock", 'größe', '2026-01-02', '[0]'];

export const collections: readonly Collection[] = [
  { name: people, model: 'people', indexes: [['team', 'age'], ['address.city'], ['name'], ...strangeFields.map((field) => [field])] },
  { name: places, model: 'places', indexes: [] },
];

/** A document of a collection, null where it is removed; `put` gives it its position. */
type Put = { id: string; document: Document | null; collection: string };
export const putting = (id: string, document: Document | null, collection = people): Put => ({ id, document, collection });

/** Documents of the generations that serve, at one position. */
export const storedAt = async (store: ReadStore, position: number, ...put: readonly Put[]): Promise<StoredDocument[]> => {
  const serving = await store.serving(put.map(({ collection }) => collection));
  return put.map((one, index) => ({ ...one, generation: serving[index]!.generation, position }));
};

/** Writes documents at a position, and moves the checkpoint of the model `people` there. False where that is refused. */
export const putAt = async (store: ReadStore, position: number, ...put: readonly Put[]): Promise<boolean> => {
  const [serving] = await store.serving(['people']);
  await store.write(await storedAt(store, position, ...put));
  return store.moveCheckpoints({ people: serving!.generation }, position);
};

/** Writes documents at the next position of the model `people`. */
export const put = async (store: ReadStore, ...given: readonly Put[]): Promise<void> => {
  await putAt(store, (await store.checkpoint('people')) + 1, ...given);
};

/** Empties a model, so that it is at position 0. */
export const empty = async (store: ReadStore, model: string): Promise<void> => {
  await store.switchOver(model, { generation: await store.beginRebuild(model), position: 0 }, 'behind');
};

/** The ids of those who are found, in order; their documents hold their own id. */
export const foundIds = async (store: ReadStore, where: Record<string, Scalar>): Promise<string[]> => (await store.find(people, { where, limit: 1_000 })).map(({ id }) => id as string);

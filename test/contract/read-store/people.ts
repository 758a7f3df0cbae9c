import type { Change, Collection, Document, ReadStore, Scalar } from '#libs/read-store/port.ts';

export const people = 'people';
export const places = 'places';

/** Names of fields that mean something elsewhere. */
export const strangeFields = ['with space', 'with-dash', "o'clock", 'größe', '2026-01-02', '[0]'];

export const collections: readonly Collection[] = [
  { name: people, indexes: [['team', 'age'], ['address.city'], ['name'], ...strangeFields.map((field) => [field])] },
  { name: places, indexes: [] },
];

export const putting = (id: string, document: Document | null, collection = people): Change => ({ collection, id, document });

/** Writes documents at the next position of the model `people`. */
export const put = async (store: ReadStore, ...changes: readonly Change[]): Promise<void> => {
  const at = await store.checkpoint('people');
  await store.apply('people', at, at + 1, changes);
};

/** The ids of those who are found, in order; their documents hold their own id. */
export const foundIds = async (store: ReadStore, where: Record<string, Scalar>): Promise<string[]> => (await store.find(people, { where, limit: 1_000 })).map(({ id }) => id as string);

import type { Collection, Query } from './port.ts';

/** The fields that a collection may be asked by. */
export const fieldsDeclared = ({ indexes }: Pick<Collection, 'indexes'>): string[] => [...new Set(indexes.flat())];

/** @throws RangeError for a query by a field that its collection does not declare: not every engine would find by it what is there */
export const requireDeclared = (collections: readonly Collection[]) => {
  const declared = new Map(collections.map((one) => [one.name, new Set(fieldsDeclared(one))]));
  return (collection: string, { where, range, sort }: Pick<Query, 'where' | 'range' | 'sort'>): void => {
    const asked = [...Object.keys(where), ...(range ? [range.by] : []), ...(sort ? [sort.by] : [])];
    const strange = asked.find((field) => !declared.get(collection)?.has(field));
    if (strange !== undefined) throw new RangeError(`${collection} is asked by ${strange}, which is not among its indexes`);
  };
};

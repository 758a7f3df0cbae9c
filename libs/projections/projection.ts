import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Collection, Document } from '#libs/read-store/port.ts';

/**
 * What an event does to one document; `null` stands for no document, before and after. `collection` is one of the read model's
 * further ones. `also` are effects that follow from the change of this document.
 */
export type Effect<D extends Document> = {
  id: string;
  collection?: string;
  evolve: (document: D | null) => D | null;
  also?: (after: D | null, before: D | null) => readonly Effect<never>[];
};

/** A read model: a collection of documents, each a fold over the events that concern it, and `further` ones kept along with it. Pure. */
export type Projection<D extends Document = Document> = {
  model: string;
  collection: Collection;
  further?: readonly Collection[];
  on: Readonly<Record<string, (event: RecordedEvent) => Effect<D> | null>>;
};

/** An effect on a document of a further collection. */
export const further = <D extends Document>(collection: string, id: string, evolve: Effect<D>['evolve']): Effect<never> => ({ collection, id, evolve }) as unknown as Effect<never>;

/** Every collection that a read model keeps. */
export const collectionsOf = ({ collection, further: others = [] }: Pick<Projection, 'collection' | 'further'>): Collection[] => [collection, ...others];

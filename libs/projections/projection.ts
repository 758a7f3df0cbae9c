import type { EventOf } from '#contracts/events/event-schemas.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Collection, Document } from '#libs/read-store/port.ts';

/**
 * What an event does to one document; `null` stands for no document, before and after. `begins` says that no event concerns the document before this one.
 * `also` are effects on documents of further collections that follow from this one; as it may stand ahead of the event, from what never changes in it.
 */
export type Effect<D extends Document> = {
  id: string;
  createsDocument?: true;
  evolve(this: void, document: D | null): D | null;
  additionalEffects?(this: void, after: D | null): readonly AdditionalEffect[];
};

/** What an event does to a document of one of the read model's further collections. */
export type AdditionalEffect = {
  collection: string;
  id: string;
  createsDocument?: true;
  evolve(this: void, document: Document | null): Document | null;
};

/** What to do for an event of each type. */
export type Handlers<Result> = {
  readonly [Event in EventOf as Event['type']]?: (event: RecordedEvent<Event>) => Result;
};

/** What `handlers` has for the event; undefined where it has nothing for its type. */
export const handleEvent = <Result>(handlers: Handlers<Result>, event: RecordedEvent): Result | undefined =>
  (handlers[event.type] as ((event: RecordedEvent) => Result) | undefined)?.(event);

/**
 * A read model: a collection of documents, each a fold over the events that concern it. Pure.
 * `further` collections are kept along with it, by what `also` says and by the events in `beside`.
 */
export type Projection<D extends Document = Document> = {
  model: string;
  collection: Collection;
  additionalCollections?: readonly Collection[];
  handlers: Handlers<Effect<D> | null>;
  additionalHandlers?: Handlers<AdditionalEffect | null>;
};

/** An effect on a document of a further collection, whose documents are all of the kind `D`. */
export const additionalEffect = <D extends Document>(
  { name }: Collection,
  id: string,
  evolve: Effect<D>['evolve'],
): AdditionalEffect => ({
  collection: name,
  id,
  evolve,
});

/** Every collection that a read model keeps. */
export const collectionsOf = ({
  model,
  collection,
  additionalCollections: others = [],
}: Pick<Projection, 'model' | 'collection' | 'additionalCollections'>): Collection[] =>
  [collection, ...others].map((one) => ({ ...one, model }));

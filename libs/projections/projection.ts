import type { EventOf } from '#contracts/events/event-schemas.ts';
import { idOfStream } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Collection, Document } from '#libs/read-store/port.ts';

/**
 * What an event does to one document; `null` is no document, before and after. `createsDocument` says that no earlier event
 * concerns the document. `additionalEffects` change documents of additional collections. They get the document, which may
 * already contain later events, so they may only use fields that never change.
 */
export type Effect<D extends Document> = {
  id: string;
  createsDocument?: true;
  evolve(this: void, document: D | null): D | null;
  additionalEffects?(this: void, after: D | null): readonly AdditionalEffect[];
};

/** What an event does to a document of an additional collection of the read model. */
export type AdditionalEffect = {
  collection: string;
  id: string;
  createsDocument?: true;
  evolve(this: void, document: Document | null): Document | null;
};

/** A handler for each event type. */
export type Handlers<Result> = {
  readonly [Event in EventOf as Event['type']]?: (event: RecordedEvent<Event>) => Result;
};

/** Calls the handler for the event; undefined if there is none for its type. */
export const handleEvent = <Result>(handlers: Handlers<Result>, event: RecordedEvent): Result | undefined =>
  (handlers[event.type] as ((event: RecordedEvent) => Result) | undefined)?.(event);

/**
 * A read model: a collection of documents, each computed from the events that concern it. Pure. `additionalCollections`
 * are updated together with it, by `additionalEffects`.
 */
export type Projection<D extends Document = Document> = {
  model: string;
  collection: Collection;
  additionalCollections?: readonly Collection[];
  handlers: Handlers<Effect<D> | null>;
};

/** The id of the document for the stream of an event. */
export const idOf = ({ stream }: Pick<RecordedEvent, 'stream'>): string => idOfStream(stream);

/** Changes fields of the document for the stream of an event, if there is one. */
export const updateDocument = <D extends Document>(
  event: RecordedEvent,
  change: (document: D) => NoInfer<Partial<D>>,
): Effect<D> => ({
  id: idOf(event),
  evolve: (document) => document && { ...document, ...change(document) },
});

/** Removes the document for the stream of an event. */
export const removeDocument = (event: RecordedEvent) => ({ id: idOf(event), evolve: () => null });

/** An effect on a document of an additional collection with documents of type `D`. */
export const additionalEffect = <D extends Document>(
  { name }: Collection,
  id: string,
  evolve: Effect<D>['evolve'],
): AdditionalEffect => ({ collection: name, id, evolve });

/** All collections of a read model. */
export const collectionsOf = ({
  model,
  collection,
  additionalCollections: others = [],
}: Pick<Projection, 'model' | 'collection' | 'additionalCollections'>): Collection[] =>
  [collection, ...others].map((each) => ({ ...each, model }));

import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Collection, Document } from '#libs/read-store/port.ts';

/** What an event does to one document; `null` stands for no document, before and after. */
export type Effect<D extends Document> = { id: string; evolve: (document: D | null) => D | null };

/** A read model: one collection of documents, each a fold over the events that concern it. Pure. */
export type Projection<D extends Document = Document> = {
  model: string;
  collection: Collection;
  on: Readonly<Record<string, (event: RecordedEvent) => Effect<D> | null>>;
};

import { LRUCache } from 'lru-cache';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type {
  Document,
  DocumentKey,
  PositionedDocument,
  DocumentStore,
  StoredDocument,
} from '#libs/read-store/port.ts';
import { type AdditionalEffect, handleEvent, type Projection } from './projection.ts';

/** A projection, the generation of the read model that it builds, and the position up to which that generation is built. */
export type ProjectionTarget = { projection: Projection; generation: string; position: number };

const maxRememberedDocuments = 5_000;
const cacheKeyOf = ({ collection, generation, id }: DocumentKey): string => `${generation}\n${collection}\n${id}`;

const noDocument: PositionedDocument = { document: null, position: 0 };

/** A document in its state after the events so far. `readAt` is its position before the batch. */
type CurrentDocument = StoredDocument & { readAt: number };

/** Applies an event to a document. A document that already contains the event does not change. */
const evolveDocument = (current: CurrentDocument, { evolve }: AdditionalEffect, position: number): Document | null => {
  if (position <= current.readAt) return current.document;
  const document = evolve(current.document);
  if (document !== null || current.document !== null) Object.assign(current, { document, position });
  return document;
};

/** The documents of one target that a batch changes. `written` finds those that need not be read. */
const openBatch = (
  written: (key: DocumentKey) => PositionedDocument | undefined,
  read: (key: DocumentKey) => Promise<PositionedDocument>,
  generation: string,
) => {
  const documents = new Map<string, CurrentDocument>();
  const keyOf = ({ collection, id }: AdditionalEffect): DocumentKey => ({ collection, generation, id });
  const add = (key: DocumentKey, before: PositionedDocument): CurrentDocument => {
    const current = { ...key, ...before, readAt: before.position };
    documents.set(cacheKeyOf(key), current);
    return current;
  };
  return {
    /** Undefined if the document must be read. No promise: one for each document would cost more than the change. */
    find: (effect: AdditionalEffect): CurrentDocument | undefined => {
      const key = keyOf(effect);
      const current = documents.get(cacheKeyOf(key));
      if (current) return current;
      const known = effect.createsDocument ? noDocument : written(key);
      return known && add(key, known);
    },
    read: async (effect: AdditionalEffect): Promise<CurrentDocument> => {
      const key = keyOf(effect);
      return add(key, await read(key));
    },
    changed: (): StoredDocument[] =>
      [...documents.values()]
        .filter(({ position, readAt }) => position > readAt)
        .map(({ readAt: _, ...stored }) => stored),
  };
};

/**
 * Applies events to documents and writes them. It keeps written documents in memory and does not read them again. That
 * is safe with parallel projectors, because each kept document is the result of all events up to its position. Each
 * target must get all events after its position, in order; create a new projector after a gap.
 */
export const createBatchProjector = (documents: Pick<DocumentStore, 'read' | 'write'>) => {
  const written = new LRUCache<string, PositionedDocument>({ max: maxRememberedDocuments });
  type Events = readonly RecordedEvent[];
  const project = async (
    { projection, generation, position }: ProjectionTarget,
    events: Events,
  ): Promise<StoredDocument[]> => {
    const { collection, handlers } = projection;
    const batch = openBatch((key) => written.get(cacheKeyOf(key)), documents.read, generation);
    for (const event of events) {
      if (event.position <= position) continue;
      const effect = handleEvent(handlers, event);
      if (!effect) continue;
      const main = { ...effect, collection: collection.name };
      const document = evolveDocument(batch.find(main) ?? (await batch.read(main)), main, event.position);
      for (const additional of effect.additionalEffects?.(document) ?? [])
        evolveDocument(batch.find(additional) ?? (await batch.read(additional)), additional, event.position);
    }
    return batch.changed();
  };

  /** Resolves once the documents are written. Does not move checkpoints. */
  return async (targets: readonly ProjectionTarget[], events: readonly RecordedEvent[]): Promise<void> => {
    const changed = (await Promise.all(targets.map((target) => project(target, events)))).flat();
    if (changed.length > 0) await documents.write(changed);
    for (const stored of changed)
      written.set(cacheKeyOf(stored), { document: stored.document, position: stored.position });
  };
};

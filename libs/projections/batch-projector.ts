import { LRUCache } from 'lru-cache';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { DocumentKey, PositionedDocument, DocumentStore, StoredDocument } from '#libs/read-store/port.ts';
import { type AdditionalEffect, handleEvent, type Projection } from './projection.ts';

/** A projection, the generation of the read model that it builds, and the position up to which that generation is built. */
export type ProjectionTarget = { projection: Projection; generation: string; position: number };

const maxRememberedDocuments = 5_000;
const cacheKeyOf = ({ collection, generation, id }: DocumentKey): string => `${generation}\n${collection}\n${id}`;

/** The documents of one target that a batch changes, in their state after the events so far. */
const openBatchDocuments = (
  read: (key: DocumentKey) => PositionedDocument | Promise<PositionedDocument>,
  generation: string,
) => {
  const opened = new Map<string, StoredDocument & { readAt: number }>();
  return {
    /** Applies an event to a document. A document that already contains the event does not change. */
    evolve: async ({ collection, id, createsDocument, evolve }: AdditionalEffect, position: number) => {
      const key = { collection, generation, id };
      const cacheKey = cacheKeyOf(key);
      let current = opened.get(cacheKey);
      if (!current) {
        const before = createsDocument ? { document: null, position: 0 } : await read(key);
        opened.set(cacheKey, (current = { ...key, ...before, readAt: before.position }));
      }
      if (position <= current.readAt) return current.document;
      const document = evolve(current.document);
      if (document !== null || current.document !== null) opened.set(cacheKey, { ...current, document, position });
      return document;
    },
    changed: (): StoredDocument[] =>
      [...opened.values()]
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
  const read = (key: DocumentKey): PositionedDocument | Promise<PositionedDocument> =>
    written.get(cacheKeyOf(key)) ?? documents.read(key);

  type Events = readonly RecordedEvent[];
  const project = async (
    { projection, generation, position }: ProjectionTarget,
    events: Events,
  ): Promise<StoredDocument[]> => {
    const { collection, handlers } = projection;
    const opened = openBatchDocuments(read, generation);
    for (const event of events) {
      if (event.position <= position) continue;
      const effect = handleEvent(handlers, event);
      const document = effect ? await opened.evolve({ ...effect, collection: collection.name }, event.position) : null;
      for (const additional of effect?.additionalEffects?.(document) ?? [])
        await opened.evolve(additional, event.position);
    }
    return opened.changed();
  };

  /** Resolves once the documents are written. Does not move checkpoints. */
  return async (targets: readonly ProjectionTarget[], events: readonly RecordedEvent[]): Promise<void> => {
    const changed = (await Promise.all(targets.map((target) => project(target, events)))).flat();
    if (changed.length > 0) await documents.write(changed);
    for (const stored of changed)
      written.set(cacheKeyOf(stored), { document: stored.document, position: stored.position });
  };
};

import { LRUCache } from 'lru-cache';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { DocumentKey, PositionedDocument, DocumentStore, StoredDocument } from '#libs/read-store/port.ts';
import { type AdditionalEffect, handleEvent, type Projection } from './projection.ts';

/** A projection with the generation of its read model that it builds, and the position up to which that is built. */
export type ProjectionTarget = { projection: Projection; generation: string; position: number };

const maxRememberedDocuments = 5_000;
const cacheKeyOf = ({ collection, generation, id }: DocumentKey): string => `${generation}\n${collection}\n${id}`;

/** The documents of one target that a batch concerns, as they are after the events so far. */
const openBatchDocuments = (
  read: (key: DocumentKey) => PositionedDocument | Promise<PositionedDocument>,
  generation: string,
) => {
  const opened = new Map<string, StoredDocument & { readAt: number }>();
  return {
    /** Folds an event into a document. The document is left as it is where it holds the event already. */
    evolve: async ({ collection, id, createsDocument, evolve }: AdditionalEffect, position: number) => {
      const key = { collection, generation, id };
      const place = cacheKeyOf(key);
      let current = opened.get(place);
      if (!current) {
        const before = createsDocument ? { document: null, position: 0 } : await read(key);
        opened.set(place, (current = { ...key, ...before, readAt: before.position }));
      }
      if (position <= current.readAt) return current.document;
      const document = evolve(current.document);
      if (document !== null || current.document !== null) opened.set(place, { ...current, document, position });
      return document;
    },
    changed: (): StoredDocument[] =>
      [...opened.values()].filter(({ position, readAt }) => position > readAt).map(({ readAt: _, ...one }) => one),
  };
};

/**
 * Folds events into documents and writes them. What it wrote it need not read again: every content that it remembers
 * is the fold of the event log up to the document's position, whoever else projects. This holds while each target gets
 * all events after its position, in order; begin anew after a gap.
 */
export const createBatchProjector = (documents: Pick<DocumentStore, 'read' | 'write'>) => {
  const written = new LRUCache<string, PositionedDocument>({ max: maxRememberedDocuments });
  const read = (key: DocumentKey): PositionedDocument | Promise<PositionedDocument> =>
    written.get(cacheKeyOf(key)) ?? documents.read(key);

  type Events = readonly RecordedEvent[];
  const fold = async (
    { projection, generation, position }: ProjectionTarget,
    events: Events,
  ): Promise<StoredDocument[]> => {
    const { collection, handlers, additionalHandlers } = projection;
    const opened = openBatchDocuments(read, generation);
    for (const event of events) {
      if (event.position <= position) continue;
      const effect = handleEvent(handlers, event);
      const document = effect ? await opened.evolve({ ...effect, collection: collection.name }, event.position) : null;
      const following = [
        ...(effect?.additionalEffects?.(document) ?? []),
        additionalHandlers ? (handleEvent(additionalHandlers, event) ?? []) : [],
      ].flat();
      for (const next of following) await opened.evolve(next, event.position);
    }
    return opened.changed();
  };

  /** Resolves once the documents are written. Checkpoints are not moved. */
  return async (targets: readonly ProjectionTarget[], events: readonly RecordedEvent[]): Promise<void> => {
    const changed = (await Promise.all(targets.map((target) => fold(target, events)))).flat();
    if (changed.length > 0) await documents.write(changed);
    for (const one of changed) written.set(cacheKeyOf(one), { document: one.document, position: one.position });
  };
};

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

/** A document in its state after the events so far. `readAt` is its position before the batch. */
type OpenDocument = StoredDocument & { readAt: number };

/** Applies an event to a document. A document that already contains the event does not change. */
const evolveDocument = (open: OpenDocument, { evolve }: AdditionalEffect, position: number): Document | null => {
  if (position <= open.readAt) return open.document;
  const document = evolve(open.document);
  if (document !== null || open.document !== null) Object.assign(open, { document, position });
  return document;
};

/** The documents of one target that a batch changes. */
const openBatchDocuments = (
  read: (key: DocumentKey) => PositionedDocument | Promise<PositionedDocument>,
  generation: string,
) => {
  const openDocuments = new Map<string, OpenDocument>();
  return {
    /** No promise if the document need not be read: one for each would cost more than the change. */
    open: ({ collection, id, createsDocument }: AdditionalEffect): OpenDocument | Promise<OpenDocument> => {
      const key = { collection, generation, id };
      const cacheKey = cacheKeyOf(key);
      const add = (before: PositionedDocument): OpenDocument => {
        const added = { ...key, ...before, readAt: before.position };
        openDocuments.set(cacheKey, added);
        return added;
      };
      const open = openDocuments.get(cacheKey);
      if (open) return open;
      const before = createsDocument ? { document: null, position: 0 } : read(key);
      return before instanceof Promise ? before.then(add) : add(before);
    },
    changed: (): StoredDocument[] =>
      [...openDocuments.values()]
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
    const batch = openBatchDocuments(read, generation);
    for (const event of events) {
      if (event.position <= position) continue;
      const effect = handleEvent(handlers, event);
      if (!effect) continue;
      const main = { ...effect, collection: collection.name };
      const opened = batch.open(main);
      const document = evolveDocument(opened instanceof Promise ? await opened : opened, main, event.position);
      for (const additional of effect.additionalEffects?.(document) ?? []) {
        const other = batch.open(additional);
        evolveDocument(other instanceof Promise ? await other : other, additional, event.position);
      }
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

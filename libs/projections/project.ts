import { LRUCache } from 'lru-cache';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { DocumentKey, Positioned, PositionedDocuments, StoredDocument } from '#libs/read-store/port.ts';
import { type FurtherEffect, handled, type Projection } from './projection.ts';

/** A projection with the generation of its read model that it builds, and the position up to which that is built. */
export type Target = { projection: Projection; generation: string; position: number };

const mostRemembered = 5_000;
const placeOf = ({ collection, generation, id }: DocumentKey): string => `${generation}\n${collection}\n${id}`;

/** The documents of one target that a batch concerns, as they are after the events so far. */
const openDocuments = (read: (key: DocumentKey) => Positioned | Promise<Positioned>, generation: string) => {
  const opened = new Map<string, StoredDocument & { readAt: number }>();
  return {
    /** Folds an event into a document. The document is left as it is where it holds the event already. */
    evolve: async ({ collection, id, begins, evolve }: FurtherEffect, position: number) => {
      const key = { collection, generation, id };
      const place = placeOf(key);
      let current = opened.get(place);
      if (!current) {
        const before = begins ? { document: null, position: 0 } : await read(key);
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
export const openFolding = (documents: Pick<PositionedDocuments, 'read' | 'write'>) => {
  const written = new LRUCache<string, Positioned>({ max: mostRemembered });
  const read = (key: DocumentKey): Positioned | Promise<Positioned> => written.get(placeOf(key)) ?? documents.read(key);

  type Events = readonly RecordedEvent[];
  const fold = async ({ projection, generation, position }: Target, events: Events): Promise<StoredDocument[]> => {
    const { collection, on, beside } = projection;
    const opened = openDocuments(read, generation);
    for (const event of events) {
      if (event.position <= position) continue;
      const effect = handled(on, event);
      const document = effect ? await opened.evolve({ ...effect, collection: collection.name }, event.position) : null;
      const following = [...(effect?.also?.(document) ?? []), beside ? (handled(beside, event) ?? []) : []].flat();
      for (const next of following) await opened.evolve(next, event.position);
    }
    return opened.changed();
  };

  /** Resolves once the documents are written. Checkpoints are not moved. */
  return async (targets: readonly Target[], events: readonly RecordedEvent[]): Promise<void> => {
    const changed = (await Promise.all(targets.map((target) => fold(target, events)))).flat();
    if (changed.length > 0) await documents.write(changed);
    for (const one of changed) written.set(placeOf(one), { document: one.document, position: one.position });
  };
};

import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Change, Document, ModelStore, ReadStore } from '#libs/read-store/port.ts';
import type { FurtherEffect, Projection } from './projection.ts';

/** Events that follow the position `after` in the log without a gap. */
export type Batch = { after: number; events: readonly RecordedEvent[] };

/** The documents that a batch concerns, as they stand after the events so far. */
const openDocuments = (reads: Pick<ReadStore, 'get'>) => {
  const touched = new Map<string, Change>();
  return {
    evolve: async ({ collection, id, begins, evolve }: FurtherEffect): Promise<Document | null> => {
      const place = `${collection}\n${id}`;
      const known = touched.get(place);
      const before = known ? known.document : begins ? null : await reads.get(collection, id);
      const document = evolve(before);
      touched.set(place, { collection, id, document, ...(begins || known?.isNew ? { isNew: true } : {}) });
      return document;
    },
    changes: (): Change[] => [...touched.values()],
  };
};

/** Folds events into the documents they concern, and answers with what has changed; nothing is written. */
const fold = async (reads: Pick<ReadStore, 'get'>, { collection, on, beside }: Projection, events: readonly RecordedEvent[]): Promise<Change[]> => {
  const documents = openDocuments(reads);
  for (const event of events) {
    const effect = on[event.type]?.(event);
    const document = effect ? await documents.evolve({ ...effect, collection: collection.name }) : null;
    const following = [...(effect?.also?.(document) ?? []), beside?.[event.type]?.(event) ?? []].flat();
    for (const next of following) await documents.evolve(next);
  }
  return documents.changes();
};

/**
 * Brings one read model forward by a batch of the log, from its checkpoint to the batch's end.
 * Harmless where somebody else projects too: whoever is second starts again from the new checkpoint.
 * False when the model lies further back than the batch begins, as after a reset: it has to catch up first.
 */
export const project = async (reads: ModelStore, projection: Projection, { after, events }: Batch): Promise<boolean> => {
  const end = events.at(-1)?.position ?? after;
  for (;;) {
    const from = await reads.checkpoint(projection.model);
    if (from >= end) return true;
    if (from < after) return false;
    const changes = await fold(reads, projection, events.filter(({ position }) => position > from));
    if (await reads.apply(projection.model, from, end, changes)) return true;
  }
};

/** As `project` for many read models in one write, where all of them are right where the batch begins; false where they are not. */
export const projectTogether = async (reads: ReadStore, projections: readonly Projection[], { after, events }: Batch): Promise<boolean> => {
  const updates = await Promise.all(projections.map(async (projection) => ({ model: projection.model, changes: await fold(reads, projection, events) })));
  return reads.applyTogether(after, events.at(-1)!.position, updates);
};

import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Change, Document, Held, ModelWriter, Update } from '#libs/read-store/port.ts';
import { type FurtherEffect, handled, type Projection } from './projection.ts';

/** Events that follow the position `after` in the log without a gap. */
export type Batch = { after: number; events: readonly RecordedEvent[] };

/** The documents that a batch concerns, as they stand after the events so far. */
const openDocuments = (writer: Pick<ModelWriter, 'held'>) => {
  const known = new Map<string, Held>();
  const changed = new Map<string, Change>();
  return {
    evolve: async ({ collection, id, begins, evolve }: FurtherEffect, position: number): Promise<Document | null> => {
      const place = `${collection}\n${id}`;
      const { document: before, at } = known.get(place) ?? (begins ? { document: null, at: 0 } : await writer.held(collection, id));
      // What a step that was interrupted has written holds the event already.
      const document = position > at ? evolve(before) : before;
      known.set(place, { document, at });
      if (position > at) changed.set(place, { collection, id, document });
      return document;
    },
    changes: (): Change[] => [...changed.values()],
  };
};

/** Folds events into the documents they concern, and answers with what has changed; nothing is written. */
const fold = async (writer: Pick<ModelWriter, 'held'>, { collection, on, beside }: Projection, events: readonly RecordedEvent[]): Promise<Change[]> => {
  const documents = openDocuments(writer);
  for (const event of events) {
    const effect = handled(on, event);
    const document = effect ? await documents.evolve({ ...effect, collection: collection.name }, event.position) : null;
    const following = [...(effect?.also?.(document) ?? []), beside ? (handled(beside, event) ?? []) : []].flat();
    for (const next of following) await documents.evolve(next, event.position);
  }
  return documents.changes();
};

/**
 * Brings one read model forward by a batch of the log, from its checkpoint to the batch's end.
 * Harmless where somebody else projects too: whoever is second starts again from the new checkpoint.
 * False when the model lies further back than the batch begins, as after a reset: it has to catch up first.
 */
export const project = async (writer: ModelWriter, projection: Projection, { after, events }: Batch): Promise<boolean> => {
  const end = events.at(-1)?.position ?? after;
  for (;;) {
    const from = await writer.checkpoint(projection.model);
    if (from >= end) return true;
    if (from < after) return false;
    const changes = await fold(writer, projection, events.filter(({ position }) => position > from));
    if (await writer.advance(from, end, [{ model: projection.model, changes }])) return true;
  }
};

/** As `project` for many read models in one write, where all of them are right where the batch begins; false where they are not. */
export const projectTogether = async (writer: ModelWriter, projections: readonly Projection[], { after, events }: Batch): Promise<boolean> => {
  const updates: Update[] = await Promise.all(projections.map(async (projection) => ({ model: projection.model, changes: await fold(writer, projection, events) })));
  return writer.advance(after, events.at(-1)!.position, updates);
};

import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Change, Document, ReadStore } from '#libs/read-store/port.ts';
import type { Effect, Projection } from './projection.ts';

/** Events that follow the position `after` in the log without a gap. */
export type Batch = { after: number; events: readonly RecordedEvent[] };

type AnyEffect = Effect<Document>;

/** The documents that a batch concerns, as they stand after the events so far. */
const openDocuments = (reads: ReadStore) => {
  const touched = new Map<string, Change>();
  return {
    evolve: async (collection: string, { id, evolve }: AnyEffect) => {
      const place = `${collection}\n${id}`;
      const before = touched.get(place)?.document ?? (touched.has(place) ? null : await reads.get(collection, id));
      const after = evolve(before);
      touched.set(place, { collection, id, document: after });
      return { before, after };
    },
    changes: (): Change[] => [...touched.values()],
  };
};

/** Folds events into the documents they concern, and answers with what has changed; nothing is written. */
const fold = async (reads: ReadStore, { collection, on }: Projection, events: readonly RecordedEvent[]): Promise<Change[]> => {
  const documents = openDocuments(reads);
  const apply = async (effect: AnyEffect): Promise<void> => {
    const { before, after } = await documents.evolve(effect.collection ?? collection.name, effect);
    for (const next of effect.also?.(after, before) ?? []) await apply(next as unknown as AnyEffect);
  };
  for (const event of events) {
    const effect = on[event.type]?.(event);
    if (effect) await apply(effect);
  }
  return documents.changes();
};

/**
 * Brings one read model forward by a batch of the log, from its checkpoint to the batch's end.
 * Harmless where somebody else projects too: whoever is second starts again from the new checkpoint.
 * False when the model lies further back than the batch begins, as after a reset: it has to catch up first.
 */
export const project = async (reads: ReadStore, projection: Projection, { after, events }: Batch): Promise<boolean> => {
  const end = events.at(-1)?.position ?? after;
  for (;;) {
    const from = await reads.checkpoint(projection.model);
    if (from >= end) return true;
    if (from < after) return false;
    const changes = await fold(reads, projection, events.filter(({ position }) => position > from));
    if (await reads.apply(projection.model, from, end, changes)) return true;
  }
};

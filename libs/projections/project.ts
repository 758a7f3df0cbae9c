import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Change, Document, ReadStore } from '#libs/read-store/port.ts';
import type { Projection } from './projection.ts';

/** Events that follow the position `after` in the log without a gap. */
export type Batch = { after: number; events: readonly RecordedEvent[] };

/** Folds events into the documents they concern, and answers with what has changed; nothing is written. */
const fold = async (reads: ReadStore, { collection, on }: Projection, events: readonly RecordedEvent[]): Promise<Change[]> => {
  const touched = new Map<string, Document | null>();
  for (const event of events) {
    const effect = on[event.type]?.(event);
    if (!effect) continue;
    const before = touched.has(effect.id) ? touched.get(effect.id)! : await reads.get(collection.name, effect.id);
    touched.set(effect.id, effect.evolve(before));
  }
  return [...touched].map(([id, document]) => ({ collection: collection.name, id, document }));
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

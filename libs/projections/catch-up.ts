import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { createBatchProjector, type ProjectionTarget } from './batch-projector.ts';
import type { Projection } from './projection.ts';

/** What a projection needs of the read store. */
export type ProjectionStore = Pick<ReadStore, 'read' | 'write' | 'servingGenerations' | 'moveCheckpoints'>;

/** Brings the read models that serve forward. For one caller, who takes one batch of the event log after the other. */
export const openProjectionRunner = async (reads: ProjectionStore, projections: readonly Projection[]) => {
  const models = projections.map(({ model }) => model);
  const load = async (): Promise<ProjectionTarget[]> => {
    const serving = await reads.servingGenerations(models);
    return projections.map((projection, index) => ({ projection, ...serving[index]! }));
  };
  let targets = await load();
  let fold = createBatchProjector(reads);
  const position = (): number => Math.min(...targets.map((one) => one.position));

  return {
    /** The position from which events are needed. */
    position,
    /**
     * Folds events that follow the position `after` in the event log, writes documents, then moves the checkpoints;
     * `last` goes to `moveCheckpoints`. False where a read model is further back, or was rebuilt meanwhile: continue
     * from `position()`.
     */
    advance: async (after: number, events: readonly RecordedEvent[], last?: RecordedEvent): Promise<boolean> => {
      if (position() < after) return false;
      const end = events.at(-1)!.position;
      await fold(targets, events);
      const generations = Object.fromEntries(targets.map((one) => [one.projection.model, one.generation]));
      const { id, stream, revision } = last ?? {};
      const lastEvent = id === undefined ? undefined : { id, stream: stream!, revision: revision!, position: end };
      if (await reads.moveCheckpoints(generations, end, lastEvent)) {
        targets = targets.map((one) => ({ ...one, position: Math.max(one.position, end) }));
        return true;
      }
      targets = await load();
      fold = createBatchProjector(reads);
      return position() >= end;
    },
  };
};

const batchSize = 500;

/** Continues up to the end of the event log as it is now. */
export const projectToEnd = async (
  store: Pick<EventStore, 'readAll'>,
  { position, advance }: Awaited<ReturnType<typeof openProjectionRunner>>,
): Promise<void> => {
  for (;;) {
    const after = position();
    const events = await store.readAll(after, batchSize);
    if (events.length === 0) return;
    await advance(after, events);
  }
};

/** Brings read models to the end of the event log as it is now. */
export const catchUp = async (
  store: Pick<EventStore, 'readAll'>,
  reads: ProjectionStore,
  projections: readonly Projection[],
): Promise<void> => projectToEnd(store, await openProjectionRunner(reads, projections));

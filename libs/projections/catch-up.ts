import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { createBatchProjector, type ProjectionTarget } from './batch-projector.ts';
import type { Projection } from './projection.ts';

/** Updates the serving read models. For one caller, which passes the batches of the event log one after the other. */
export const openProjectionRunner = async (reads: ReadStore, projections: readonly Projection[]) => {
  const models = projections.map(({ model }) => model);
  const load = async (): Promise<ProjectionTarget[]> => {
    const serving = await reads.servingGenerations(models);
    return projections.map((projection, index) => ({ projection, ...serving[index]! }));
  };
  let targets = await load();
  let project = createBatchProjector(reads);
  const position = (): number => Math.min(...targets.map((target) => target.position));

  return {
    /** The position after which events are needed. */
    position,
    /**
     * Applies the events that follow the position `after` in the event log, writes the documents, then moves the
     * checkpoints. `last` goes to `moveCheckpoints`. False if a read model is behind `after`, or was rebuilt,
     * emptied or restored in between: continue from `position()`.
     */
    advance: async (after: number, events: readonly RecordedEvent[], last?: RecordedEvent): Promise<boolean> => {
      if (position() < after) return false;
      const end = events.at(-1)!.position;
      await project(targets, events);
      const written = Object.fromEntries(
        targets.map(({ projection, generation, position }) => [projection.model, { generation, position }]),
      );
      const { id, stream, revision } = last ?? {};
      const lastEvent = id === undefined ? undefined : { id, stream: stream!, revision: revision!, position: end };
      if (await reads.moveCheckpoints(written, end, lastEvent)) {
        targets = targets.map((target) => ({ ...target, position: Math.max(target.position, end) }));
        return true;
      }

      targets = await load();
      project = createBatchProjector(reads);
      return position() >= end;
    },
  };
};

const batchSize = 500;

/** Projects up to the current end of the event log, or until `signal` aborts. */
export const projectToEnd = async (
  store: Pick<EventStore, 'readAll'>,
  { position, advance }: Awaited<ReturnType<typeof openProjectionRunner>>,
  signal?: AbortSignal,
): Promise<void> => {
  while (!signal?.aborted) {
    const after = position();
    const events = await store.readAll(after, batchSize);
    if (events.length === 0) return;
    await advance(after, events);
  }
};

/** Brings read models up to the current end of the event log. */
export const catchUp = async (
  store: Pick<EventStore, 'readAll'>,
  reads: ReadStore,
  projections: readonly Projection[],
): Promise<void> => projectToEnd(store, await openProjectionRunner(reads, projections));

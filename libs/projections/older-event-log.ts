import type { EventStore } from '#libs/event-store/port.ts';
import type { LastEvent, ReadStore } from '#libs/read-store/port.ts';
import { projections } from './all.ts';
import { rebuildReadModel } from './rebuild.ts';

export type EventLogAndReadModels = { store: Pick<EventStore, 'head' | 'read' | 'readAll'>; reads: ReadStore };

const models = projections.map(({ model }) => model);

const remedy =
  'An older copy of the event log was probably restored. Run "colophon rebuild": it builds all of this anew from the restored event log.';

/** Whether the event log has the event where it was. */
const isInEventLog = async (store: Pick<EventStore, 'read'>, { stream, revision, id }: LastEvent): Promise<boolean> => {
  const [found] = await store.read(stream, revision);
  return found?.id === id;
};

/** The read models that lie ahead of the event log. */
const readModelsAhead = async ({
  store,
  reads,
}: EventLogAndReadModels): Promise<{ head: number; names: string[]; furthest: number }> => {
  // Checkpoints are read before the head, so that an event that comes in between makes nothing seem ahead.
  const positions = await Promise.all(models.map((model) => reads.checkpoint(model)));
  const head = await store.head();
  return { head, names: models.filter((_, index) => positions[index]! > head), furthest: Math.max(...positions) };
};

/**
 * Compares the event log with all that was built from it. Null where the log is the one that it was built from; else one sentence on what is ahead and what to do.
 * A log that has grown past the checkpoints again is told by the event that was noted with them.
 */
export const describeOlderEventLog = async (built: EventLogAndReadModels): Promise<string | null> => {
  const noted = await built.reads.lastEvent();
  const { head, names, furthest } = await readModelsAhead(built);
  if (names.length > 0)
    return `The event log ends at position ${head}, but the read models (${names.join(', ')}) were built from it up to position ${furthest}. ${remedy}`;
  if (noted === null || (await isInEventLog(built.store, noted))) return null;
  return `The event log no longer has the event ${noted.id} (${noted.stream}, revision ${noted.revision}), which the read models were built from. ${remedy}`;
};

/** As `olderLog`, at a small price, for a process that looks again and again: compares the head with the highest one seen, and looks for the noted event. */
export const checkForOlderEventLog = async (
  { store, reads }: Pick<EventLogAndReadModels, 'store' | 'reads'>,
  highestHead: number,
): Promise<{ older: boolean; head: number }> => {
  const noted = await reads.lastEvent();
  const head = await store.head();
  return { older: head < highestHead || (noted !== null && !(await isInEventLog(store, noted))), head };
};

/** Builds everything anew from a log that is older than what was built from it. What is interrupted is done again: the log stays older until the last step. */
export const rebuildFromOlderEventLog = async ({ store, reads }: EventLogAndReadModels): Promise<void> => {
  for (const projection of projections) await rebuildReadModel(store, reads, projection, 'behind');
  await reads.clearLastEvent();
};

import type { EventStore } from '#libs/event-store/port.ts';
import type { LastEvent, ReadStore } from '#libs/read-store/port.ts';
import { projections } from './all.ts';
import { rebuildReadModel } from './rebuild.ts';

export type EventLogAndReadModels = { store: Pick<EventStore, 'head' | 'read' | 'readAll'>; reads: ReadStore };

const models = projections.map(({ model }) => model);

const remedy =
  'Either an older copy of the event log was restored, or the end of the event log is lost (log.db-wal is a part of ' +
  'log.db). If it is lost, keep a copy of all files: the read models are the only trace of the lost events. ' +
  'Then run "colophon rebuild" to rebuild the read models from the event log.';

/** Whether the event log has the event at its stream and revision. */
const isInEventLog = async (store: Pick<EventStore, 'read'>, { stream, revision, id }: LastEvent): Promise<boolean> => {
  const [found] = await store.read(stream, revision, 1);
  return found?.id === id;
};

/** The read models whose checkpoint is beyond the end of the event log. */
const readModelsAhead = async ({
  store,
  reads,
}: EventLogAndReadModels): Promise<{ head: number; names: string[]; furthest: number }> => {
  // Checkpoints are read before the head, so that an event appended in between makes no read model seem ahead.
  const positions = await Promise.all(models.map((model) => reads.checkpoint(model)));
  const head = await store.head();
  return { head, names: models.filter((_, index) => positions[index]! > head), furthest: Math.max(...positions) };
};

/**
 * Compares the event log with the read models. Null if they were built from this event log; otherwise a sentence that says
 * what is ahead and what to do. An older event log that has grown past the checkpoints again lacks the last event of the
 * read models.
 */
export const describeOlderEventLog = async ({ store, reads }: EventLogAndReadModels): Promise<string | null> => {
  const lastEvent = await reads.lastEvent();
  const { head, names, furthest } = await readModelsAhead({ store, reads });
  if (names.length > 0)
    return (
      `The event log ends at position ${head}, but the read models (${names.join(', ')}) were built from it ` +
      `up to position ${furthest}. ${remedy}`
    );
  if (lastEvent === null || (await isInEventLog(store, lastEvent))) return null;
  return (
    `The event log no longer has the event ${lastEvent.id} (${lastEvent.stream}, revision ${lastEvent.revision}), ` +
    `from which the read models were built. ${remedy}`
  );
};

/** A cheaper check for repeated use: compares the head with the highest one seen, and looks for the last event of the read models. */
export const checkForOlderEventLog = async (
  { store, reads }: EventLogAndReadModels,
  highestHead: number,
): Promise<{ isOlder: boolean; head: number }> => {
  const lastEvent = await reads.lastEvent();
  const head = await store.head();
  return { isOlder: head < highestHead || (lastEvent !== null && !(await isInEventLog(store, lastEvent))), head };
};

/**
 * Rebuilds all read models from an older event log. Can be repeated after an interruption, because the checks report the
 * problem until the last step.
 */
export const rebuildFromOlderEventLog = async ({ store, reads }: EventLogAndReadModels): Promise<void> => {
  for (const projection of projections) await rebuildReadModel(store, reads, projection, 'behind');
  await reads.clearLastEvent();
};

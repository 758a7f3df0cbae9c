import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';
import type { Collection, ReadStore } from '#libs/read-store/port.ts';

/** An event that the read models hold: an event log without it is not the one that they were built from. */
export type CheckpointEvent = { stream: string; revision: number; id: string; position: number };

export const checkpointEventCollection: Collection = { name: 'checkpointEvents', indexes: [] };
const name = checkpointEventCollection.name;
const documentId = 'latest';

/** The checkpoint of this collection counts its writes. */
const write = async (reads: Pick<ReadStore, 'checkpoint' | 'apply'>, document: CheckpointEvent | null): Promise<void> => {
  for (;;) {
    const from = await reads.checkpoint(name);
    if (await reads.apply(name, from, from + 1, [{ collection: name, id: documentId, document }])) return;
  }
};

/** The event at the latest checkpoint that was noted; null where there is none. */
export const readCheckpointEvent = (reads: Pick<ReadStore, 'get'>): Promise<CheckpointEvent | null> => reads.get(name, documentId) as Promise<CheckpointEvent | null>;

export const forgetCheckpointEvent = (reads: Pick<ReadStore, 'checkpoint' | 'apply'>): Promise<void> => write(reads, null);

/** Whether the event log still has the event at its place. */
export const isInLog = async (store: Pick<EventStore, 'read'>, { stream, revision, id }: CheckpointEvent): Promise<boolean> => {
  const [found] = await store.read(stream, revision);
  return found?.id === id;
};

export type CheckpointEvents = {
  /** To be told of the last event of each step, after the step. */
  note(event: RecordedEvent): void;
  /** Writes what was noted and not written yet. */
  close(): Promise<void>;
};

/** Keeps the event at the checkpoint beside it. Written `everyMs` after an event at the latest, so that a busy log costs one write in that time. A failed write is tried again. */
export const openCheckpointEvents = (reads: Pick<ReadStore, 'checkpoint' | 'apply'>, everyMs = 1_000): CheckpointEvents => {
  let noted: CheckpointEvent | null = null;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const taken = noted;
    noted = null;
    if (!taken) return writing;
    return (writing = writing.then(() => write(reads, taken)).catch(() => {
      noted ??= taken;
      schedule();
    }));
  };
  const schedule = (): void => void (timer ??= setTimeout(() => void flush(), everyMs).unref());

  return {
    note: ({ stream, revision, id, position }) => {
      noted = { stream, revision, id, position };
      schedule();
    },
    close: async () => {
      await flush();
      clearTimeout(timer);
    },
  };
};

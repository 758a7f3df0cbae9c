import { type KeyUseDocument, keyUseCollection } from '#libs/projections/key-renders.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

const place = keyUseCollection.name;

const idOf = (keyId: string, month: string): string => `${keyId}/${month}`;

const merged = (known: KeyUseDocument | null | undefined, more: KeyUseDocument): KeyUseDocument =>
  known ? { ...more, requests: known.requests + more.requests, lastAt: known.lastAt > more.lastAt ? known.lastAt : more.lastAt } : more;

/** Adds notes to what is stored. The checkpoint serves as a lock: who finds it moved reads again. */
const store = async (reads: ReadStore, notes: readonly KeyUseDocument[]): Promise<void> => {
  for (;;) {
    const from = await reads.checkpoint(place);
    const changes = await Promise.all(
      notes.map(async (note) => {
        const id = idOf(note.keyId, note.month);
        return { collection: place, id, document: merged((await reads.get(place, id)) as KeyUseDocument | null, note) };
      }),
    );
    if (await reads.apply(place, from, from + 1, changes)) return;
  }
};

export type KeyUses = {
  /** Notes a request, in memory: this is on the way of every request. */
  note(key: { id: string; accountId: string }, at: Date): void;
  /** Stores what has been noted. What cannot be stored is noted again. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** Counts requests by key, and stores the counts `everyMs` after the first one that is not stored. A process that is killed loses the last ones. */
export const openKeyUses = (reads: ReadStore, everyMs = 1_000): KeyUses => {
  let notes = new Map<string, KeyUseDocument>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> = Promise.resolve();

  const add = (note: KeyUseDocument): void => {
    const id = idOf(note.keyId, note.month);
    notes.set(id, merged(notes.get(id), note));
    timer ??= setTimeout(() => void flush(), everyMs).unref();
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const taken = [...notes.values()];
    notes = new Map();
    if (taken.length > 0) flushing = flushing.then(() => store(reads, taken)).catch(() => taken.forEach(add));
    return flushing;
  };

  return {
    note: ({ id: keyId, accountId }, at) => {
      const lastAt = at.toISOString();
      add({ keyId, accountId, month: lastAt.slice(0, 7), requests: 1, lastAt });
    },
    flush,
    close: async () => {
      await flush();
      clearTimeout(timer);
    },
  };
};

import { type KeyUseDocument, keyUseCollection } from '#libs/projections/key-renders.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

const idOf = (keyId: string, month: string): string => `${keyId}/${month}`;

const merged = (known: KeyUseDocument | null | undefined, more: KeyUseDocument): KeyUseDocument =>
  known ? { ...more, requests: known.requests + more.requests, lastAt: known.lastAt > more.lastAt ? known.lastAt : more.lastAt } : more;

/** Adds a note to what is stored. The position of the document counts its writes: after another process's write it is read again. */
const store = async (reads: Pick<ReadStore, 'read' | 'replace'>, note: KeyUseDocument): Promise<void> => {
  const key = { collection: keyUseCollection.name, generation: '', id: idOf(note.keyId, note.month) };
  for (;;) {
    const { document, position } = await reads.read(key);
    const changed = merged(document as KeyUseDocument | null, note);
    if (await reads.replace({ ...key, document: changed, position: position + 1 }, position)) return;
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
export const openKeyUses = (reads: Pick<ReadStore, 'read' | 'replace'>, everyMs = 1_000): KeyUses => {
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
    const storeAll = async (): Promise<void> => void (await Promise.all(taken.map((note) => store(reads, note).catch(() => add(note)))));
    if (taken.length > 0) flushing = flushing.then(storeAll);
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

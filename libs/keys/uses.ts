import type { Collection, ReadStore } from '#libs/read-store/port.ts';

/** Requests of one API key in one month (`YYYY-MM`, UTC), and the time of the last of them. Requests are no events: these figures are not in the log. */
export type KeyUseDocument = { keyId: string; month: string; requests: number; lastAt: string };

export const keyUseCollection: Collection = { name: 'keyUses', indexes: [['keyId', 'month']] };
const place = keyUseCollection.name;

export const keyUseId = (keyId: string, month: string): string => `${keyId}/${month}`;

type Note = { keyId: string; month: string; requests: number; lastAt: string };

const merged = (document: KeyUseDocument | null, { keyId, month, requests, lastAt }: Note): KeyUseDocument => ({
  keyId,
  month,
  requests: (document?.requests ?? 0) + requests,
  lastAt: document && document.lastAt > lastAt ? document.lastAt : lastAt,
});

/** Adds notes to what is stored. The checkpoint serves as a lock: who finds it moved reads again. */
const store = async (reads: ReadStore, notes: readonly Note[]): Promise<void> => {
  for (;;) {
    const from = await reads.checkpoint(place);
    const changes = await Promise.all(
      notes.map(async (note) => {
        const id = keyUseId(note.keyId, note.month);
        return { collection: place, id, document: merged((await reads.get(place, id)) as KeyUseDocument | null, note) };
      }),
    );
    if (await reads.apply(place, from, from + 1, changes)) return;
  }
};

export type KeyUses = {
  /** Notes a request, in memory: this is on the way of every request. */
  note(keyId: string, at: Date): void;
  /** Stores what has been noted. What cannot be stored is noted again. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** Counts requests by key, and stores the counts `everyMs` after the first one that is not stored. A process that is killed loses the last ones. */
export const openKeyUses = (reads: ReadStore, everyMs = 1_000): KeyUses => {
  let notes = new Map<string, Note>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> = Promise.resolve();

  const add = (note: Note): void => {
    const id = keyUseId(note.keyId, note.month);
    const known = notes.get(id);
    notes.set(id, known ? { ...note, requests: known.requests + note.requests, lastAt: known.lastAt > note.lastAt ? known.lastAt : note.lastAt } : note);
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
    note: (keyId, at) => {
      const lastAt = at.toISOString();
      add({ keyId, month: lastAt.slice(0, 7), requests: 1, lastAt });
    },
    flush,
    close: async () => {
      await flush();
      clearTimeout(timer);
    },
  };
};

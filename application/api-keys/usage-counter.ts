import { type ApiKeyUsageDocument, apiKeyUsageCollection } from '#libs/projections/key-renders.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

const idOf = (keyId: string, month: string): string => `${keyId}/${month}`;

const mergeUsage = (known: ApiKeyUsageDocument | null | undefined, more: ApiKeyUsageDocument): ApiKeyUsageDocument =>
  known
    ? {
        ...more,
        requests: known.requests + more.requests,
        lastRequestAt: known.lastRequestAt > more.lastRequestAt ? known.lastRequestAt : more.lastRequestAt,
      }
    : more;

/** Adds a note to what is stored. The position of the document counts its writes: after another process's write it is read again. */
const addToStored = async (reads: Pick<ReadStore, 'read' | 'replace'>, note: ApiKeyUsageDocument): Promise<void> => {
  const key = { collection: apiKeyUsageCollection.name, generation: '', id: idOf(note.keyId, note.month) };
  for (;;) {
    const { document, position } = await reads.read(key);
    const changed = mergeUsage(document as ApiKeyUsageDocument | null, note);
    if (await reads.replace({ ...key, document: changed, position: position + 1 }, position)) return;
  }
};

export type ApiKeyUsageCounter = {
  /** Notes a request, in memory: this is on the way of every request. */
  countRequest(key: { id: string; accountId: string }, at: Date): void;
  /** Stores what has been noted. What cannot be stored is noted again. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** Counts requests by key, and stores the counts `everyMs` after the first one that is not stored. A process that is killed loses the last ones. */
export const createApiKeyUsageCounter = (
  reads: Pick<ReadStore, 'read' | 'replace'>,
  everyMs = 1_000,
): ApiKeyUsageCounter => {
  let notes = new Map<string, ApiKeyUsageDocument>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> = Promise.resolve();

  const add = (note: ApiKeyUsageDocument): void => {
    const id = idOf(note.keyId, note.month);
    notes.set(id, mergeUsage(notes.get(id), note));
    timer ??= setTimeout(() => void flush(), everyMs).unref();
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const taken = [...notes.values()];
    notes = new Map();
    const storeAll = async (): Promise<void> =>
      void (await Promise.all(taken.map((note) => addToStored(reads, note).catch(() => add(note)))));
    if (taken.length > 0) flushing = flushing.then(storeAll);
    return flushing;
  };

  return {
    countRequest: ({ id: keyId, accountId }, at) => {
      const lastAt = at.toISOString();
      add({ keyId, accountId, month: lastAt.slice(0, 7), requests: 1, lastRequestAt: lastAt });
    },
    flush,
    close: async () => {
      await flush();
      clearTimeout(timer);
    },
  };
};

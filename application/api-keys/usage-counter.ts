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

/** Adds counts to the stored document. Its position counts the writes: after a concurrent write it is read again. */
const addToStored = async (reads: Pick<ReadStore, 'read' | 'replace'>, usage: ApiKeyUsageDocument): Promise<void> => {
  const key = { collection: apiKeyUsageCollection.name, generation: '', id: idOf(usage.keyId, usage.month) };
  for (;;) {
    const { document, position } = await reads.read(key);
    const changed = mergeUsage(document as ApiKeyUsageDocument | null, usage);
    if (await reads.replace({ ...key, document: changed, position: position + 1 }, position)) return;
  }
};

export type ApiKeyUsageCounter = {
  /** Counts a request in memory. */
  countRequest(key: { id: string; accountId: string }, at: Date): void;
  /** Stores the counts. Counts that cannot be stored are kept. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** Counts requests by key and stores the counts every `intervalMs`. A killed process loses the last counts. */
export const createApiKeyUsageCounter = (
  reads: Pick<ReadStore, 'read' | 'replace'>,
  intervalMs = 1_000,
): ApiKeyUsageCounter => {
  let pending = new Map<string, ApiKeyUsageDocument>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> = Promise.resolve();

  const add = (usage: ApiKeyUsageDocument): void => {
    const id = idOf(usage.keyId, usage.month);
    pending.set(id, mergeUsage(pending.get(id), usage));
    timer ??= setTimeout(() => void flush(), intervalMs).unref();
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const taken = [...pending.values()];
    pending = new Map();
    const storeAll = async (): Promise<void> =>
      void (await Promise.all(taken.map((usage) => addToStored(reads, usage).catch(() => add(usage)))));
    if (taken.length > 0) flushing = flushing.then(storeAll);
    return flushing;
  };

  return {
    countRequest: ({ id: keyId, accountId }, at) => {
      const lastRequestAt = at.toISOString();
      add({ keyId, accountId, month: lastRequestAt.slice(0, 7), requests: 1, lastRequestAt });
    },
    flush,
    close: async () => {
      await flush();
      clearTimeout(timer);
    },
  };
};

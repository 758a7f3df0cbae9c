import { Worker } from 'node:worker_threads';
import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';
import { openFairQueue } from '#libs/scheduling/fair-queue.ts';
import { type JsonBody, readJson, maxMainThreadBytes } from './read-json.ts';

export type JsonWorkerRequest = { id: number; body: Uint8Array; wantsHash: boolean };
export type JsonWorkerResponse = { id: number } & (
  { body: JsonBody } | { error: ApiErrorFields } | { failure: string }
);

/** Reads the JSON bodies of requests without blocking the event loop. */
export type JsonBodyReader = {
  /** Takes ownership of the bytes. `wantsHash` asks for the SHA-256 of the body. Accounts take turns. @throws ApiError invalid_request */
  read(body: Buffer, wantsHash: boolean, accountId: string): Promise<JsonBody>;
  close(): Promise<void>;
};

/** Bodies up to this size do not wait for larger ones. */
const maxMediumBytes = 1024 * 1024;

type PendingRead = { resolve: (body: JsonBody) => void; reject: (error: unknown) => void };
type JsonWorker = { read: JsonBodyReader['read']; close(): Promise<void> };

const settle = ({ resolve, reject }: PendingRead, response: JsonWorkerResponse): void => {
  if ('body' in response) resolve(response.body);
  else reject('error' in response ? ApiError.from(response.error) : new Error(response.failure));
};

/** A worker thread that starts at its first body, and again after a failure. */
const openJsonWorker = (): JsonWorker => {
  // One body at a time, because a body that was sent to the thread cannot be overtaken.
  const queue = openFairQueue({ maxQuick: 1, maxTotal: 1, slowAfterMs: 0 });
  const pendingReads = new Map<number, PendingRead>();
  let worker: Worker | undefined;
  let lastId = 0;

  const failAll = (ended: Worker, error: unknown): void => {
    if (worker !== ended) return;
    worker = undefined;
    for (const { reject } of pendingReads.values()) reject(error);
    pendingReads.clear();
  };
  const start = (): Worker => {
    const started = new Worker(new URL('./json-worker.ts', import.meta.url));
    started.unref();
    started.on('message', (response: JsonWorkerResponse) => {
      const pendingRead = pendingReads.get(response.id);
      pendingReads.delete(response.id);
      if (pendingRead) settle(pendingRead, response);
    });
    started.on('error', (error) => failAll(started, error));
    started.on('exit', () => failAll(started, new Error('the worker thread that reads bodies has ended')));
    return started;
  };
  const send = (body: Buffer, wantsHash: boolean): Promise<JsonBody> => {
    const { promise, resolve, reject } = Promise.withResolvers<JsonBody>();
    const id = (lastId += 1);
    pendingReads.set(id, { resolve, reject });
    worker ??= start();
    worker.postMessage({ id, body, wantsHash } satisfies JsonWorkerRequest, [body.buffer as ArrayBuffer]);
    return promise;
  };
  return {
    read: (body, wantsHash, accountId) => queue.add(accountId, () => send(body, wantsHash)),
    close: async () => void (await worker?.terminate()),
  };
};

/** Reads small bodies at once and larger ones in two worker threads: one for medium sizes, one for the largest. */
export const openJsonBodyReader = (): JsonBodyReader => {
  const [medium, large] = [openJsonWorker(), openJsonWorker()];
  return {
    read: async (body, wantsHash, accountId) => {
      if (body.byteLength <= maxMainThreadBytes) return readJson(body, wantsHash);
      return (body.byteLength <= maxMediumBytes ? medium : large).read(body, wantsHash, accountId);
    },
    close: async () => void (await Promise.all([medium.close(), large.close()])),
  };
};

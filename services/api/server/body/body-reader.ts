import { Worker } from 'node:worker_threads';
import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';
import { openFairQueue } from '#libs/concurrency/fair-queue.ts';
import { type BodyFormat, readBody } from './read-body.ts';
import { maxMainThreadBytes, type RequestBody } from './read-json.ts';

export type BodyWorkerRequest = { id: number; body: Uint8Array } & BodyFormat;
export type BodyWorkerResponse = { id: number } & (
  { body: RequestBody } | { error: ApiErrorFields } | { failure: string }
);

/** Reads the bodies of requests without blocking the event loop. */
export type BodyReader = {
  /** Takes ownership of the bytes. Accounts take turns. @throws ApiError */
  read(body: Buffer, format: BodyFormat, accountId: string): Promise<RequestBody>;
  close(): Promise<void>;
};

/** Bodies up to this size do not wait for larger ones. */
const maxMediumBytes = 1024 * 1024;

type PendingRead = { resolve: (body: RequestBody) => void; reject: (error: unknown) => void };
type BodyWorker = { read: BodyReader['read']; close(): Promise<void> };

const settle = ({ resolve, reject }: PendingRead, response: BodyWorkerResponse): void => {
  if ('body' in response) resolve(response.body);
  else reject('error' in response ? ApiError.from(response.error) : new Error(response.failure));
};

/** A worker thread that starts at its first body, and again after a failure. */
const openBodyWorker = (): BodyWorker => {
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
    const started = new Worker(new URL('./body-worker.ts', import.meta.url));
    started.unref();
    started.on('message', (response: BodyWorkerResponse) => {
      const pendingRead = pendingReads.get(response.id);
      pendingReads.delete(response.id);
      if (pendingRead) settle(pendingRead, response);
    });
    started.on('messageerror', (error) => {
      failAll(started, error);
      void started.terminate();
    });
    started.on('error', (error) => failAll(started, error));
    started.on('exit', () => failAll(started, new Error('the worker thread that reads bodies has ended')));
    return started;
  };
  const send = (body: Buffer, format: BodyFormat): Promise<RequestBody> => {
    const { promise, resolve, reject } = Promise.withResolvers<RequestBody>();
    const id = (lastId += 1);
    pendingReads.set(id, { resolve, reject });
    worker ??= start();
    worker.postMessage({ id, body, ...format } satisfies BodyWorkerRequest, [body.buffer as ArrayBuffer]);
    return promise;
  };
  return {
    read: (body, format, accountId) => queue.add(accountId, () => send(body, format)),
    close: async () => void (await worker?.terminate()),
  };
};

/** Reads small bodies at once and larger ones in two worker threads: one for medium sizes, one for the largest. */
export const openBodyReader = (): BodyReader => {
  const [medium, large] = [openBodyWorker(), openBodyWorker()];
  return {
    read: async (body, format, accountId) => {
      if (body.byteLength <= maxMainThreadBytes) return readBody(body, format);
      return (body.byteLength <= maxMediumBytes ? medium : large).read(body, format, accountId);
    },
    close: async () => void (await Promise.all([medium.close(), large.close()])),
  };
};

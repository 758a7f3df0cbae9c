import { Worker } from 'node:worker_threads';
import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';
import { openFairQueue } from '#libs/concurrency/fair-queue.ts';
import { type BodyFormat, readBody } from './read-body.ts';
import { maxMainThreadBytes, type RequestBody } from './read-json.ts';

export type BodyWorkerRequest = { body: Uint8Array } & BodyFormat;
export type BodyWorkerResponse = { body: RequestBody } | { error: ApiErrorFields } | { failure: string };

/** Reads the bodies of requests without blocking the event loop. */
export type BodyReader = {
  /** Takes ownership of the bytes. Accounts take turns. @throws ApiError */
  read(body: Buffer, format: BodyFormat, accountId: string): Promise<RequestBody>;
  close(): Promise<void>;
};

/** Bodies up to this size do not wait for larger ones. */
const maxMediumBytes = 1024 * 1024;

/** A worker thread that starts at its first body, and again after a failure. */
const openBodyWorker = (): BodyReader => {
  // One body at a time, because a body that was sent to the thread cannot be overtaken.
  const queue = openFairQueue({ maxQuick: 1, maxTotal: 1, slowAfterMs: 0 });
  let worker: Worker | undefined;
  let reading: PromiseWithResolvers<BodyWorkerResponse> | undefined;

  const start = (): Worker => {
    const started = new Worker(new URL('./body-worker.ts', import.meta.url));
    const fail = (error: unknown): void => {
      if (worker !== started) return;
      worker = undefined;
      reading?.reject(error);
    };
    started.unref();
    started.on('message', (response: BodyWorkerResponse) => reading?.resolve(response));
    started.on('messageerror', (error) => {
      fail(error);
      void started.terminate();
    });
    started.on('error', fail);
    started.on('exit', () => fail(new Error('the worker thread that reads bodies has ended')));
    return started;
  };
  const send = async (body: Buffer, format: BodyFormat): Promise<RequestBody> => {
    worker ??= start();
    worker.postMessage({ body, ...format } satisfies BodyWorkerRequest, [body.buffer as ArrayBuffer]);
    reading = Promise.withResolvers();
    const response = await reading.promise;
    if ('body' in response) return response.body;
    throw 'error' in response ? ApiError.from(response.error) : new Error(response.failure);
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

import { Worker } from 'node:worker_threads';
import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';
import { openFairQueue } from '#libs/scheduling/fair-queue.ts';
import { type JsonBody, readJson, maxMainThreadBytes } from './read-json.ts';

export type JsonWorkerRequest = { id: number; body: Uint8Array; wantsHash: boolean };
export type JsonWorkerResponse = { id: number } & (
  { body: JsonBody } | { error: ApiErrorFields } | { failure: string }
);

/** Reads the JSON bodies of requests without holding up the event loop. */
export type JsonBodyReader = {
  /** Takes the bytes over. `wantsHash` says whether the SHA-256 of the body is asked for; accounts take turns. @throws Problem invalid_request */
  read(body: Buffer, wantsHash: boolean, accountId: string): Promise<JsonBody>;
  close(): Promise<void>;
};

/** Bodies up to this size never wait for larger ones. */
const maxMediumBytes = 1024 * 1024;

type Waiter = { resolve: (body: JsonBody) => void; reject: (error: unknown) => void };
type JsonWorker = { read: JsonBodyReader['read']; close(): Promise<void> };

const settle = ({ resolve, reject }: Waiter, answer: JsonWorkerResponse): void => {
  if ('body' in answer) resolve(answer.body);
  else reject('error' in answer ? ApiError.from(answer.error) : new Error(answer.failure));
};

/** A thread that starts at its first body, and again after it has failed. */
const openJsonWorker = (): JsonWorker => {
  // One body at a time: what has been sent to the thread can no longer let another go first.
  const queue = openFairQueue({ maxQuick: 1, maxTotal: 1, slowAfterMs: 0 });
  const waiting = new Map<number, Waiter>();
  let worker: Worker | undefined;
  let asked = 0;

  const failAll = (ended: Worker, error: unknown): void => {
    if (worker !== ended) return;
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const start = (): Worker => {
    const started = new Worker(new URL('./json-worker.ts', import.meta.url));
    started.unref();
    started.on('message', (answer: JsonWorkerResponse) => {
      const waiter = waiting.get(answer.id);
      waiting.delete(answer.id);
      if (waiter) settle(waiter, answer);
    });
    started.on('error', (error) => failAll(started, error));
    started.on('exit', () => failAll(started, new Error('the thread that reads bodies has ended')));
    return started;
  };
  const ask = (body: Buffer, wantsHash: boolean): Promise<JsonBody> => {
    const { promise, resolve, reject } = Promise.withResolvers<JsonBody>();
    const id = (asked += 1);
    waiting.set(id, { resolve, reject });
    worker ??= start();
    worker.postMessage({ id, body, wantsHash } satisfies JsonWorkerRequest, [body.buffer as ArrayBuffer]);
    return promise;
  };
  return {
    read: (body, wantsHash, accountId) => queue.add(accountId, () => ask(body, wantsHash)),
    close: async () => void (await worker?.terminate()),
  };
};

/** Small bodies are read at once, larger ones in two threads: one for those of medium size, one for the largest. */
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

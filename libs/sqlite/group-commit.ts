import { Worker } from 'node:worker_threads';
import type { Parameters } from './database.ts';

/** One statement of a job. A job whose statement changes another number of rows than `changes` is undone as a whole. */
export type Statement = { sql: string; parameters: Parameters; changes?: number };
/** Whether the job was kept: `false` when a statement changed another number of rows than it had to, or broke a UNIQUE rule. */
export type JobResult = { kept: boolean };

export type GroupCommit = {
  /** Runs the statements as one: all or none, durable when it resolves. Jobs that arrive together share one commit, so one fsync. */
  run(statements: readonly Statement[]): Promise<JobResult>;
  close(): Promise<void>;
};

export type Request = { jobs: { id: number; statements: readonly Statement[] }[] };
export type Reply = { results: { id: number; kept: boolean }[] } | { failed: number[]; reason: string };

type Waiting = { resolve: (result: JobResult) => void; reject: (error: Error) => void };

/** Opens a writer for a database file in a thread of its own, so that no fsync holds up the event loop. */
export const openGroupCommit = (file: string, schema: string): GroupCommit => {
  const worker = new Worker(new URL('./group-commit-worker.ts', import.meta.url), { workerData: { file, schema } });
  const waiting = new Map<number, Waiting>();
  let gathered: Request['jobs'] = [];
  let lastId = 0;
  let fatal: Error | null = null;

  const settle = (id: number, act: (one: Waiting) => void): void => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (one) act(one);
    if (waiting.size === 0) worker.unref();
  };
  worker.on('message', (reply: Reply) => {
    if ('results' in reply) reply.results.forEach(({ id, kept }) => settle(id, (one) => one.resolve({ kept })));
    else reply.failed.forEach((id) => settle(id, (one) => one.reject(new Error(reply.reason))));
  });
  worker.on('error', (error: Error) => {
    fatal = error;
    [...waiting.keys()].forEach((id) => settle(id, (one) => one.reject(error)));
  });
  worker.unref();

  const flush = (): void => {
    worker.postMessage({ jobs: gathered } satisfies Request);
    gathered = [];
  };

  return {
    run: (statements) =>
      new Promise((resolve, reject) => {
        if (fatal) return reject(fatal);
        if (gathered.length === 0) queueMicrotask(flush);
        if (waiting.size === 0) worker.ref();
        waiting.set(++lastId, { resolve, reject });
        gathered.push({ id: lastId, statements });
      }),
    close: async () => {
      while (waiting.size > 0) await new Promise((resolve) => setImmediate(resolve));
      await worker.terminate();
    },
  };
};

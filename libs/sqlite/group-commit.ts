import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type SqlParameters, defaultLockTimeoutMs } from './database.ts';

/** One statement of a job. A job whose statement changes another number of rows than `changes` is undone as a whole. */
export type Statement = { sql: string; parameters: SqlParameters; changes?: number };
/** Not kept: a statement changed another number of rows than it had to, or broke a UNIQUE rule. `lastRowid` is that of the last inserted row. */
export type WriteResult = { isCommitted: true; lastRowid: number } | { isCommitted: false };

export type GroupCommit = {
  /**
   * Runs the statements as one: all or none, durable when it resolves. Jobs that arrive together share one commit, so one fsync.
   * Rejects when the database refuses them (locked for too long, disk full, a wrong statement) or the writer is closed.
   */
  run(statements: readonly Statement[]): Promise<WriteResult>;
  /** Waits for the jobs under way; later ones are rejected. */
  close(): Promise<void>;
};

export type WriteTask = { id: number; statements: readonly Statement[] };
export type WriterRequest = readonly WriteTask[] | 'close';
/** `errcode` is SQLite's, where it has raised the error. */
export type WriteFailure = { reason: string; errcode?: number };
export type WriteTaskResult = { id: number } & (WriteResult | WriteFailure);
export type WriterOptions = { file: string; schema: string; lockTimeoutMs: number };

type PendingWrite = { resolve: (result: WriteResult) => void; reject: (error: Error) => void };

const toError = ({ reason, errcode }: WriteFailure): Error =>
  errcode === undefined ? new Error(reason) : Object.assign(new Error(reason), { errcode });

/** Opens a writer for a database file in a thread of its own, so that no fsync and no lock holds up the event loop. */
export const openGroupCommit = (file: string, schema: string, lockWaitMs = defaultLockTimeoutMs): GroupCommit => {
  const worker = new Worker(new URL('./group-commit-worker.ts', import.meta.url), {
    workerData: { file, schema, lockTimeoutMs: lockWaitMs } satisfies WriterOptions,
  });
  const ended = once(worker, 'exit').catch(() => undefined);
  const waiting = new Map<number, PendingWrite>();
  let gathered: WriteTask[] = [];
  let lastId = 0;
  let refusal: Error | null = null;
  let onDrained = (): void => {};
  let closing: Promise<void> | null = null;

  const settle = (id: number, act: (one: PendingWrite) => void): void => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (one) act(one);
    if (waiting.size > 0) return;
    worker.unref();
    onDrained();
  };
  const failAll = (error: Error): void => {
    refusal ??= error;
    for (const id of waiting.keys()) settle(id, (one) => one.reject(error));
  };
  worker.on('message', (replies: readonly WriteTaskResult[]) => {
    for (const reply of replies)
      settle(reply.id, (one) => ('reason' in reply ? one.reject(toError(reply)) : one.resolve(reply)));
  });
  worker.on('error', (error) => failAll(error as Error));
  worker.on('exit', () => failAll(new Error(`the writer of ${file} has ended`)));
  worker.unref();

  const flush = (): void => {
    const jobs = gathered;
    gathered = [];
    try {
      worker.postMessage(jobs satisfies WriterRequest);
    } catch (error) {
      for (const { id } of jobs) settle(id, (one) => one.reject(error as Error));
    }
  };

  const drained = (): Promise<void> =>
    waiting.size === 0 ? Promise.resolve() : new Promise((resolve) => (onDrained = resolve));
  const finish = async (): Promise<void> => {
    await drained();
    worker.ref();
    worker.postMessage('close' satisfies WriterRequest);
    await ended;
  };

  return {
    run: (statements) =>
      new Promise((resolve, reject) => {
        if (refusal) return reject(refusal);
        if (gathered.length === 0) queueMicrotask(flush);
        if (waiting.size === 0) worker.ref();
        waiting.set(++lastId, { resolve, reject });
        gathered.push({ id: lastId, statements });
      }),
    close: () => {
      refusal ??= new Error(`the writer of ${file} is closed`);
      return (closing ??= finish());
    },
  };
};

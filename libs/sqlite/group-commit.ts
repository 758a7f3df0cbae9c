import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Durability, type SqlParameters, defaultLockTimeoutMs } from './database.ts';

/**
 * A statement of a task. If it changes another number of rows than `changes`, the whole task is rolled back. With `rows`
 * it runs once for each of them. A statement that `erases` fails while the write-ahead log cannot be emptied.
 */
export type Statement =
  | { sql: string; parameters: SqlParameters; changes?: number; erases?: true }
  | { sql: string; rows: readonly SqlParameters[] };
/**
 * Not committed: a statement changed another number of rows than `changes`, or violated a UNIQUE constraint. `lastRowid` is
 * the rowid of the last inserted row.
 */
export type WriteResult = { isCommitted: true; lastRowid: number } | { isCommitted: false };

export type GroupCommit = {
  /**
   * Runs all statements or none; committed, with the durability of the writer, when it resolves. Tasks that arrive
   * together share one commit, so one fsync.
   * Rejects for an error of the database (lock timeout, full disk, invalid statement) and after close.
   */
  run(statements: readonly Statement[]): Promise<WriteResult>;
  /** Waits for pending tasks; rejects later ones. */
  close(): Promise<void>;
};

export type WriteTask = { id: number; statements: readonly Statement[] };
export type WriterRequest = readonly WriteTask[] | 'close';
/** `errcode` is the result code, if SQLite raised the error. */
export type WriteFailure = { reason: string; errcode?: number };
export type WriteTaskResult = { id: number } & (WriteResult | WriteFailure);
/** With `truncateEveryMs`, the write-ahead log is emptied at this interval, unless another connection reads or writes then. */
export type WriterOptions = {
  file: string;
  schema: string;
  lockTimeoutMs: number;
  durability: Durability;
  truncateEveryMs?: number | undefined;
};

type PendingWrite = { resolve: (result: WriteResult) => void; reject: (error: Error) => void };

const toError = ({ reason, errcode }: WriteFailure): Error =>
  errcode === undefined ? new Error(reason) : Object.assign(new Error(reason), { errcode });

/** Opens a writer for a database file in its own thread, so that no fsync and no lock blocks the event loop. */
export const openGroupCommit = (
  file: string,
  schema: string,
  {
    lockTimeoutMs = defaultLockTimeoutMs,
    durability = 'full',
    truncateEveryMs,
  }: Partial<Omit<WriterOptions, 'file' | 'schema'>> = {},
): GroupCommit => {
  const worker = new Worker(new URL('./group-commit-worker.ts', import.meta.url), {
    workerData: { file, schema, lockTimeoutMs, durability, truncateEveryMs } satisfies WriterOptions,
  });
  const ended = once(worker, 'exit').catch(() => undefined);
  const pending = new Map<number, PendingWrite>();
  let queued: WriteTask[] = [];
  let lastId = 0;
  let closedError: Error | null = null;
  let onDrained = (): void => {};
  let closing: Promise<void> | null = null;

  const settle = (id: number, settleWrite: (write: PendingWrite) => void): void => {
    const write = pending.get(id);
    pending.delete(id);
    if (write) settleWrite(write);
    if (pending.size > 0) return;
    worker.unref();
    onDrained();
  };
  const failAll = (error: Error): void => {
    closedError ??= error;
    for (const id of pending.keys()) settle(id, (write) => write.reject(error));
  };
  worker.on('message', (replies: readonly WriteTaskResult[]) => {
    for (const reply of replies)
      settle(reply.id, (write) => ('reason' in reply ? write.reject(toError(reply)) : write.resolve(reply)));
  });
  worker.on('error', (error) => failAll(error as Error));
  worker.on('exit', () => failAll(new Error(`the writer of ${file} has ended`)));
  worker.unref();

  /** A task that cannot be sent fails alone. */
  const send = (tasks: readonly WriteTask[]): void => {
    try {
      worker.postMessage(tasks satisfies WriterRequest);
    } catch (error) {
      if (tasks.length > 1) for (const task of tasks) send([task]);
      else settle(tasks[0]!.id, (write) => write.reject(error as Error));
    }
  };
  const flush = (): void => {
    const tasks = queued;
    queued = [];
    send(tasks);
  };

  const waitUntilDrained = (): Promise<void> =>
    pending.size === 0 ? Promise.resolve() : new Promise((resolve) => (onDrained = resolve));
  const finish = async (): Promise<void> => {
    await waitUntilDrained();
    worker.ref();
    worker.postMessage('close' satisfies WriterRequest);
    await ended;
  };

  return {
    run: (statements) =>
      new Promise((resolve, reject) => {
        if (closedError) return reject(closedError);
        // Not at once: sending a message takes longer than adding a task to one.
        if (queued.length === 0) setImmediate(flush);
        if (pending.size === 0) worker.ref();
        pending.set(++lastId, { resolve, reject });
        queued.push({ id: lastId, statements });
      }),
    close: () => {
      closedError ??= new Error(`the writer of ${file} is closed`);
      return (closing ??= finish());
    },
  };
};

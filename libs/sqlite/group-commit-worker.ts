import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openDatabase } from './database.ts';
import { hasResultCode } from './result-codes.ts';
import type { WriteTask, WriteTaskResult, WriteFailure, WriterRequest, WriterOptions } from './group-commit.ts';

const port = parentPort!;
const { file, schema, lockTimeoutMs, durability, truncateEveryMs } = workerData as WriterOptions;
const database = openDatabase(file, durability, lockTimeoutMs);
database.exec(schema);

const toWriteFailure = (error: unknown): WriteFailure => {
  const { errcode } = error as { errcode?: number };
  return { reason: error instanceof Error ? error.message : String(error), ...(errcode !== undefined && { errcode }) };
};

const rollBackTask = (reply: WriteTaskResult): WriteTaskResult => {
  database.run('ROLLBACK TO task');
  return reply;
};

/** Why the write-ahead log could not be emptied; null if it could, or is in use. */
let truncationError: unknown = null;

const truncateWal = (): void => {
  try {
    database.truncateWal();
    truncationError = null;
  } catch (error) {
    truncationError = error;
  }
};

const runStatements = ({ id, statements }: WriteTask): WriteTaskResult => {
  let lastRowid = 0;
  for (const statement of statements) {
    const { sql } = statement;
    if ('rows' in statement) {
      for (const parameters of statement.rows) database.run(sql, ...parameters);
      continue;
    }
    const { parameters, changes, erases } = statement;
    if (erases && truncationError !== null) throw truncationError;
    const inserted = database.insert(sql, ...parameters);
    if (changes !== undefined && inserted.changes !== changes) return rollBackTask({ id, isCommitted: false });
    lastRowid = inserted.rowid;
  }
  return { id, isCommitted: true, lastRowid };
};

// Some errors, for example a full disk, roll back the whole transaction with its savepoints: then every task has failed.
const runWriteTask = (task: WriteTask): WriteTaskResult => {
  database.run('SAVEPOINT task');
  try {
    return runStatements(task);
  } catch (error) {
    if (!database.inTransaction()) throw error;
    return rollBackTask(
      hasResultCode(error, 'uniqueViolated', 'primaryKeyViolated')
        ? { id: task.id, isCommitted: false }
        : { id: task.id, ...toWriteFailure(error) },
    );
  } finally {
    if (database.inTransaction()) database.run('RELEASE task');
  }
};

const commit = (tasks: readonly WriteTask[]): WriteTaskResult[] => {
  try {
    return database.transaction(() => tasks.map(runWriteTask));
  } catch (error) {
    return tasks.map(({ id }) => ({ id, ...toWriteFailure(error) }));
  }
};

const truncation = truncateEveryMs === undefined ? undefined : setInterval(truncateWal, truncateEveryMs);

const maxTasksPerCommit = 2_000;

const closeWriter = (): void => {
  clearInterval(truncation);
  database.close();
  port.close();
};

port.on('message', (first: WriterRequest) => {
  const tasks: WriteTask[] = [];
  let request: WriterRequest | undefined = first;
  while (request && request !== 'close') {
    tasks.push(...request);
    request = tasks.length < maxTasksPerCommit ? receiveMessageOnPort(port)?.message : undefined;
  }
  if (tasks.length > 0) port.postMessage(commit(tasks));
  if (request === 'close') closeWriter();
});

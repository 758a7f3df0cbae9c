import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openDatabase } from './database.ts';
import type { WriteTask, WriteTaskResult, WriteFailure, WriterRequest, WriterOptions } from './group-commit.ts';

const port = parentPort!;
const { file, schema, lockTimeoutMs } = workerData as WriterOptions;
const database = openDatabase(file, 'full', lockTimeoutMs);
database.exec(schema);

const toWriteFailure = (error: unknown): WriteFailure => {
  const { errcode } = error as { errcode?: number };
  return { reason: error instanceof Error ? error.message : String(error), ...(errcode !== undefined && { errcode }) };
};

const sqliteConstraintUnique = 2067;
const sqliteConstraintPrimaryKey = 1555;
const isUniqueViolation = (error: unknown): boolean =>
  [sqliteConstraintUnique, sqliteConstraintPrimaryKey].includes((error as { errcode?: number }).errcode ?? 0);

const rollBackTask = (reply: WriteTaskResult): WriteTaskResult => {
  database.run('ROLLBACK TO task');
  return reply;
};

const runStatements = ({ id, statements }: WriteTask): WriteTaskResult => {
  let lastRowid = 0;
  for (const { sql, parameters, changes } of statements) {
    const done = database.insert(sql, ...parameters);
    if (changes !== undefined && done.changes !== changes) return rollBackTask({ id, isCommitted: false });
    lastRowid = done.rowid;
  }
  return { id, isCommitted: true, lastRowid };
};

// Some errors (a full disk, say) undo the whole transaction, and with it the savepoint: then every job of the commit has failed.
const runWriteTask = (job: WriteTask): WriteTaskResult => {
  database.run('SAVEPOINT task');
  try {
    return runStatements(job);
  } catch (error) {
    if (!database.inTransaction()) throw error;
    return rollBackTask(
      isUniqueViolation(error) ? { id: job.id, isCommitted: false } : { id: job.id, ...toWriteFailure(error) },
    );
  } finally {
    if (database.inTransaction()) database.run('RELEASE task');
  }
};

const commit = (jobs: readonly WriteTask[]): WriteTaskResult[] => {
  try {
    return database.transaction(() => jobs.map(runWriteTask));
  } catch (error) {
    return jobs.map(({ id }) => ({ id, ...toWriteFailure(error) }));
  }
};

const maxTasksPerCommit = 2_000;

const closeWriter = (): void => {
  database.close();
  port.close();
};

port.on('message', (first: WriterRequest) => {
  const jobs: WriteTask[] = [];
  let request: WriterRequest | undefined = first;
  while (request && request !== 'close') {
    jobs.push(...request);
    request = jobs.length < maxTasksPerCommit ? receiveMessageOnPort(port)?.message : undefined;
  }
  if (jobs.length > 0) port.postMessage(commit(jobs));
  if (request === 'close') closeWriter();
});

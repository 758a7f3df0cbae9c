import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openDatabase } from './database.ts';
import type { Job, JobReply, Refused, Request, WriterSettings } from './group-commit.ts';

const port = parentPort!;
const { file, schema, lockWaitMs } = workerData as WriterSettings;
const database = openDatabase(file, 'full', lockWaitMs);
database.script(schema);

const refusedBy = (error: unknown): Refused => {
  const { errcode } = error as { errcode?: number };
  return { reason: error instanceof Error ? error.message : String(error), ...(errcode !== undefined && { errcode }) };
};

const sqliteConstraintUnique = 2067;
const sqliteConstraintPrimaryKey = 1555;
const breaksUniqueness = (error: unknown): boolean =>
  [sqliteConstraintUnique, sqliteConstraintPrimaryKey].includes((error as { errcode?: number }).errcode ?? 0);

const undone = (reply: JobReply): JobReply => {
  database.run('ROLLBACK TO job');
  return reply;
};

const attempted = ({ id, statements }: Job): JobReply => {
  let lastRowid = 0;
  for (const { sql, parameters, changes } of statements) {
    const done = database.insert(sql, ...parameters);
    if (changes !== undefined && done.changes !== changes) return undone({ id, kept: false });
    lastRowid = done.rowid;
  }
  return { id, kept: true, lastRowid };
};

// Some errors (a full disk, say) undo the whole transaction, and with it the savepoint: then every job of the commit has failed.
const runJob = (job: Job): JobReply => {
  database.run('SAVEPOINT job');
  try {
    return attempted(job);
  } catch (error) {
    if (!database.inTransaction()) throw error;
    return undone(breaksUniqueness(error) ? { id: job.id, kept: false } : { id: job.id, ...refusedBy(error) });
  } finally {
    if (database.inTransaction()) database.run('RELEASE job');
  }
};

const commit = (jobs: readonly Job[]): JobReply[] => {
  try {
    return database.transaction(() => jobs.map(runJob));
  } catch (error) {
    return jobs.map(({ id }) => ({ id, ...refusedBy(error) }));
  }
};

const maxJobsInOneCommit = 2_000;

const finish = (): void => {
  database.close();
  port.close();
};

port.on('message', (first: Request) => {
  const jobs: Job[] = [];
  let request: Request | undefined = first;
  while (request && request !== 'close') {
    jobs.push(...request);
    request = jobs.length < maxJobsInOneCommit ? receiveMessageOnPort(port)?.message : undefined;
  }
  if (jobs.length > 0) port.postMessage(commit(jobs));
  if (request === 'close') finish();
});

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { type Database, openDatabase } from './database.ts';
import type { Reply, Request } from './group-commit.ts';

type Job = Request['jobs'][number];

const port = parentPort!;
const { file, schema } = workerData as { file: string; schema: string };
const database: Database = openDatabase(file, 'full');
schema.split(';').forEach((sql) => sql.trim() && database.run(sql));

const breaksUniqueness = (error: unknown): boolean => error instanceof Error && /UNIQUE constraint failed/.test(error.message);

const runJob = (job: Job): boolean => {
  database.run('SAVEPOINT job');
  try {
    for (const { sql, parameters, changes } of job.statements) {
      const changed = database.run(sql, ...parameters);
      if (changes !== undefined && changed !== changes) {
        database.run('ROLLBACK TO job');
        return false;
      }
    }
    return true;
  } catch (error) {
    database.run('ROLLBACK TO job');
    if (breaksUniqueness(error)) return false;
    throw error;
  } finally {
    database.run('RELEASE job');
  }
};

const commit = (jobs: Job[]): Reply => {
  try {
    return { results: database.transaction(() => jobs.map((job) => ({ id: job.id, kept: runJob(job) }))) };
  } catch (error) {
    return { failed: jobs.map((job) => job.id), reason: error instanceof Error ? error.message : String(error) };
  }
};

const maxJobsInOneCommit = 2_000;

port.on('message', (first: Request) => {
  const jobs = [...first.jobs];
  while (jobs.length < maxJobsInOneCommit) {
    const more = receiveMessageOnPort(port) as { message: Request } | undefined;
    if (!more) break;
    jobs.push(...more.message.jobs);
  }
  port.postMessage(commit(jobs));
});

import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { bareId, readModels } from '#contracts/names.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { type TestInstallation, openTestInstallation } from '../support/service/installation.ts';
import { waitUntil } from '../support/wait-until.ts';
import { accept, bodyOf, timesOf } from './requests.ts';
import { recordOpenRenders } from './recorded-renders.ts';
import { printHeading, quantile, printTarget } from './report.ts';
import { withBenchService } from './service.ts';

/** Accepted asynchronous requests a second over HTTP, while the service renders. */
export const acceptRate = async (requests: number, concurrency = 32): Promise<void> => {
  printHeading('Accepting asynchronous renders');
  await withBenchService({ RENDER_BACKLOG: String(10 * requests) }, async (bench) => {
    await timesOf(200, concurrency, (index) => accept(bench, index));
    const start = performance.now();
    const times = await timesOf(requests, concurrency, (index) => accept(bench, index));
    printTarget(
      'asynchronous requests accepted',
      (1000 * requests) / (performance.now() - start),
      'at least',
      1_800,
      ' /s',
    );
    printTarget('p99 of an acceptance', quantile(times, 0.99), 'at most', 50, ' ms');
  });
};

const countCompleted = (installation: TestInstallation, accountId: string): Promise<number> =>
  withInstallationEngines(installation, ({ reads }) =>
    reads.count(readModels.renders, { accountId, kind: 'asynchronous', status: 'DONE' }),
  );
const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

/**
 * Documents a second after all jobs are accepted, and the growth of memory: the maximum of the process in the second half
 * of that time divided by the maximum in the first half.
 */
const drain = (jobs: number): Promise<{ perSecond: number; growth: number }> =>
  withBenchService({ RENDER_BACKLOG: '1000000' }, async (bench) => {
    const accountId = bareId('acc', bench.accountId)!;
    await timesOf(20, 4, (index) => bench.request('POST', '/api/v1/render', bodyOf(index)));
    await timesOf(jobs, 32, (index) => accept(bench, index));
    const before = await countCompleted(bench.installation, accountId);
    const start = performance.now();
    const memory = [residentMb(bench.service.pid)];
    while ((await countCompleted(bench.installation, accountId)) < jobs) {
      memory.push(residentMb(bench.service.pid));
      await pause(jobs > 1_000 ? 500 : 20);
    }
    const half = Math.ceil(memory.length / 2);
    return {
      perSecond: (1000 * (jobs - before)) / (performance.now() - start),
      growth: Math.max(...memory.slice(half)) / Math.max(...memory.slice(0, half)),
    };
  });

/** Compares a long backlog with a short one. */
export const backlogDrainRate = async (jobs: number): Promise<void> => {
  printHeading(`Draining a backlog of ${jobs} jobs`);
  const [short, long] = [await drain(200), await drain(jobs)];
  console.log(`  200 jobs: ${short.perSecond.toFixed(1)} /s; ${jobs} jobs: ${long.perSecond.toFixed(1)} /s`);
  printTarget(
    'speed of the long backlog, share of the short one',
    long.perSecond / short.perSecond,
    'at least',
    0.9,
    '',
  );
  printTarget(
    'memory in the second half of the long backlog, in multiples of the first half',
    long.growth,
    'at most',
    1.1,
    '',
  );
};

/** The time of a start with open jobs, until the service is ready and until the first job has started. */
export const startupTime = async (jobs: number): Promise<void> => {
  printHeading(`Starting with ${jobs} open jobs`);
  const installation = await openTestInstallation();
  const startAndStop = async (): Promise<number> => {
    const since = performance.now();
    const service = await installation.start();
    const ms = performance.now() - since;
    await service.stop('SIGTERM');
    return ms;
  };
  try {
    await startAndStop();
    const { id } = await installation.runJsonCommand<{ id: string }>(
      'account',
      'create',
      '--name',
      'bench',
      '--plan',
      'enterprise',
    );
    console.log(`  without open jobs ready after ${((await startAndStop()) / 1000).toFixed(1)} s`);
    await recordOpenRenders(installation, bareId('acc', id)!, jobs);
    const since = performance.now();
    const service = await installation.start();
    printTarget(`ready with ${jobs} open jobs`, (performance.now() - since) / 1000, 'at most', 5, ' s');
    await waitUntil('the first job has started', () =>
      withInstallationEngines(
        installation,
        async ({ reads }) => (await reads.count(readModels.renders, { status: 'QUEUED' })) < jobs,
      ),
    );
    console.log(`  the first job has started after ${((performance.now() - since) / 1000).toFixed(1)} s`);
    await service.stop('SIGKILL');
  } finally {
    await installation.remove();
  }
};

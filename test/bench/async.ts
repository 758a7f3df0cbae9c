import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ulid } from 'ulid';
import { bareId, readModels, streams } from '#contracts/names.ts';
import type { RenderEvent } from '#contracts/events/render.ts';
import { render } from '#libs/domain/render.ts';
import { startTcpServer } from '#libs/egress/testing/test-servers.ts';
import { newAggregate } from '#application/command-handling/aggregate.ts';
import { projections } from '#libs/projections/all.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { openWebhookReceivers, type WebhookReceivers } from '../support/webhooks/receivers.ts';
import { type TestInstallation, openTestInstallation } from '../support/service/installation.ts';
import { waitUntil } from '../support/wait-until.ts';
import { invoice } from './fixtures/invoice.ts';
import { printHeading, quantile, printTarget } from './report.ts';
import { type Bench, requireStatus, withBenchService } from './service.ts';

/** Runs `act` `count` times, `concurrency` at once. Returns the duration of each in milliseconds. */
const timesOf = async (
  count: number,
  concurrency: number,
  act: (index: number) => Promise<unknown>,
): Promise<number[]> => {
  const times: number[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) {
      const start = performance.now();
      await act(next++);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  return times;
};

const bodyOf = (index: number, more: object = {}): string =>
  JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: invoice(index), ...more });
const accept = ({ request }: Bench, index: number, more?: object): Promise<Buffer> =>
  request('POST', '/api/v1/render/async', bodyOf(index, more)).then((response) => requireStatus(response));

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
    reads.count(readModels.renders, { accountId, isJob: true, status: 'DONE' }),
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

type Data<T extends RenderEvent['type']> = Extract<RenderEvent, { type: T }>['data'];
const eventFixtureData = <T extends RenderEvent['type']>(name: string): Data<T> =>
  (
    JSON.parse(readFileSync(new URL(`../fixtures/events/${name}.json`, import.meta.url), 'utf8')) as {
      event: { data: Data<T> };
    }
  ).event.data;

/** Appends completed renders with callbacks to these addresses. Appending is not part of the figure. */
const recordCompletedRenders = (
  installation: TestInstallation,
  accountId: string,
  addresses: readonly string[],
): Promise<void> =>
  withInstallationEngines(installation, async ({ store, blobs }) => {
    const cause = {
      actor: { kind: 'service', name: 'bench' } as const,
      accountId,
      correlationId: 'bench',
      causationId: null,
      traceparent: null,
    };
    const pdf = await blobs.put(Buffer.from('%PDF-1.7'));
    await timesOf(addresses.length, 64, async (index) => {
      const aggregate = newAggregate({ store, now: () => new Date() }, render, streams.render(ulid()));
      await aggregate.execute(
        {
          type: 'request',
          data: {
            ...eventFixtureData<'RenderRequested'>('RenderRequested.v1.webhook'),
            accountId,
            responseMode: {
              kind: 'webhook',
              estimatedMs: 1,
              url: addresses[index]!,
              urlIsMasked: false,
              method: 'POST',
              headers: {},
              sealed: null,
            },
          },
        },
        cause,
      );
      await aggregate.execute({ type: 'claim', attempt: 1, worker: 'bench', queueMs: 0 }, cause);
      await aggregate.execute(
        {
          type: 'complete',
          data: {
            ...eventFixtureData<'RenderCompleted'>('RenderCompleted.v1.kept'),
            pdf,
            keptUntil: new Date(Date.now() + 3_600_000).toISOString(),
          },
        },
        cause,
      );
    });
  });

const withReceivers = async (use: (bench: Bench, receivers: WebhookReceivers) => Promise<void>): Promise<void> => {
  const receivers = await openWebhookReceivers();
  try {
    await withBenchService(receivers.settings, (bench) => use(bench, receivers));
  } finally {
    await receivers.close();
  }
};

const waitForCount = async (count: () => number, expected: number): Promise<void> => {
  while (count() < expected) await pause(5);
};

/** Callbacks a second to one receiver that responds at once, from the first to the last. */
export const callbackRate = async (count: number): Promise<void> => {
  printHeading('Callbacks to a receiver that responds at once');
  await withReceivers(async ({ installation, accountId }, receivers) => {
    const times: number[] = [];
    const receiver = await receivers.openReceiver(() => (times.push(performance.now()), 200));
    await recordCompletedRenders(
      installation,
      bareId('acc', accountId)!,
      Array.from({ length: count }, () => receiver.url),
    );
    await waitForCount(() => times.length, count);
    printTarget('callbacks', (1000 * (count - 1)) / (times.at(-1)! - times[0]!), 'at least', 500, ' /s');
  });
};

/** Milliseconds from RenderCompleted to the arrival at a receiver, one job after the other. */
const delays = async (bench: Bench, receivers: WebhookReceivers, jobs: number): Promise<number[]> => {
  const arrived = new Map<string, number>();
  const receiver = await receivers.openReceiver(({ body }) => (arrived.set(String(body.id), Date.now()), 200));
  const delaysMs: number[] = [];
  for (let index = 0; index < jobs; index += 1) {
    const { id } = JSON.parse((await accept(bench, index, { webhook_url: receiver.url })).toString()) as { id: string };
    await waitForCount(() => (arrived.has(id) ? 1 : 0), 1);
    // The callback may arrive before the read model shows the end.
    const endedAt = await waitUntil('the read model shows the end', () =>
      withInstallationEngines(
        bench.installation,
        async ({ reads }) =>
          ((await reads.get(readModels.renders, bareId('render', id)!)) as RenderDocument | null)?.endedAt,
      ),
    );
    delaysMs.push(arrived.get(id)! - Date.parse(endedAt));
  }
  return delaysMs;
};

/** The delay of callbacks, alone and beside receivers that never respond. */
export const callbackDelay = async (jobs: number, silent: number): Promise<void> => {
  printHeading('From RenderCompleted to the callback');
  await withReceivers(async (bench, receivers) => {
    await delays(bench, receivers, 5);
    printTarget('median delay', quantile(await delays(bench, receivers, jobs), 0.5), 'at most', 20, ' ms');
    const silentReceivers = await Promise.all(
      Array.from({ length: silent }, async () => receivers.closeWithReceivers(await startTcpServer(() => undefined))),
    );
    const reached = (): number => silentReceivers.filter((server) => server.connectionCount() > 0).length;
    await recordCompletedRenders(
      bench.installation,
      bareId('acc', bench.accountId)!,
      silentReceivers.map(({ port }) => `https://127.0.0.1:${port}/`),
    );
    await waitForCount(reached, silent);
    printTarget(
      `longest delay beside ${silent} silent receivers`,
      Math.max(...(await delays(bench, receivers, 10))),
      'at most',
      1_000,
      ' ms',
    );
  });
};

/** Appends renders that no worker has started, and updates the read models. */
const recordOpenRenders = (installation: TestInstallation, accountId: string, jobs: number): Promise<void> =>
  withInstallationEngines(installation, async ({ store, blobs, reads }) => {
    const cause = {
      actor: { kind: 'service', name: 'bench' } as const,
      accountId,
      correlationId: 'bench',
      causationId: null,
      traceparent: null,
    };
    const source = {
      mode: 'CONVERT' as const,
      inputType: 'html' as const,
      input: await blobs.put(Buffer.from(invoice(0))),
    };
    const data = {
      ...eventFixtureData<'RenderRequested'>('RenderRequested.v1.webhook'),
      accountId,
      source,
      responseMode: { kind: 'poll' as const, estimatedMs: 1 },
    };
    await timesOf(jobs, 256, () =>
      newAggregate({ store, now: () => new Date() }, render, streams.render(ulid())).execute(
        { type: 'request', data },
        cause,
      ),
    );
    await catchUp(store, reads, projections);
  });

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

const parts: Record<string, () => Promise<void>> = {
  accepting: () => acceptRate(Number(process.argv[3] ?? 15_000)),
  draining: () => backlogDrainRate(Number(process.argv[3] ?? 20_000)),
  callbacks: () => callbackRate(Number(process.argv[3] ?? 5_000)),
  starting: () => startupTime(Number(process.argv[3] ?? 50_000)),
  delay: () => callbackDelay(100, Number(process.argv[3] ?? 1_000)),
};

if (import.meta.main) for (const name of process.argv[2] ? [process.argv[2]] : Object.keys(parts)) await parts[name]!();

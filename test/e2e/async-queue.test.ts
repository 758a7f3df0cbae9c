import { afterEach, describe, expect, it } from 'vitest';
import { bareId, readModels } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { createJobClient, smallRequest } from '../support/client/job-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { type TestInstallation, openTestInstallation } from '../support/service/installation.ts';
import { waitUntil } from '../support/wait-until.ts';

const plenty = ['--requests-per-minute', '1000000', '--requests-per-month', '1000000'];

// Each waits, so that few are enough for a queue.
const [crowdSize, crowdFields] = [120, { wait_time: 200 }] as const;

/** For tests with hundreds of renders. */
const timeoutMs = 300_000;

let installation: TestInstallation;
afterEach(() => installation.remove());

const wholeLog = (): Promise<RecordedEvent[]> =>
  withInstallationEngines(installation, async ({ store }) => store.readAll(0, 1_000_000));

/** Waits until the read model shows `count` renders. */
const queued = (count: number): Promise<unknown> =>
  withInstallationEngines(installation, ({ reads }) =>
    waitUntil(
      'all are in the queue',
      async () =>
        (
          await Promise.all(
            ['QUEUED', 'PROCESSING', 'DONE'].map((status) => reads.count(readModels.renders, { status })),
          )
        ).reduce((sum, n) => sum + n) >= count,
    ),
  );

/** How many renders of an account ended between the request and the end of this one. */
const endedMeanwhile = (log: readonly RecordedEvent[], renderId: string, accountId: string): number => {
  const stream = `render-${bareId('render', renderId)!}`;
  const [from, to] = ['RenderRequested', 'RenderCompleted'].map(
    (type) => log.find((event) => event.stream === stream && event.type === type)!.position,
  );
  return log.filter(
    ({ type, metadata, position }) =>
      type === 'RenderCompleted' && metadata.accountId === accountId && position > from! && position < to!,
  ).length;
};

describe('The queue', () => {
  it(
    'gives one job of an account its turn before the many jobs of another, and synchronous renders before both, and the many jobs continue',
    async () => {
      installation = await openTestInstallation({ RENDER_CONCURRENCY: '2' });
      const service = await installation.start();
      const [many, few] = [await openAccount(installation, ...plenty), await openAccount(installation, ...plenty)];
      const [crowd, single] = await Promise.all(
        [many, few].map(async (id) => createClient(service.url, (await issueKey(installation, id)).key)),
      );
      const submit = (count: number): Promise<unknown> => {
        let left = count;
        return Promise.all(
          Array.from({ length: 16 }, async () => {
            while (left-- > 0) await createJobClient(crowd!).submitAsync(crowdFields);
          }),
        );
      };
      await submit(crowdSize);
      await queued(crowdSize);
      const pending = async (): Promise<number> =>
        ((await crowd!.request('GET', '/api/v1/jobs?status=QUEUED&limit=100')).body.jobs as unknown[]).length;
      // The renderer may have been faster than the callers.
      while ((await pending()) < crowdSize / 2) await submit(crowdSize);

      const job = await createJobClient(single!).submitAsync();
      await createJobClient(single!).waitUntilEnded(job.job_id);
      const waitedFor = await crowd!.render('html', '<p>at once');
      const log = await wholeLog();
      const accountId = bareId('acc', many)!;
      expect(endedMeanwhile(log, job.id, accountId)).toBeLessThanOrEqual(10);
      expect(endedMeanwhile(log, waitedFor.id, accountId)).toBeLessThanOrEqual(10);
      const ordinary = (events: typeof log): number =>
        events.filter(({ type, metadata }) => type === 'RenderCompleted' && metadata.accountId === accountId).length;
      const before = ordinary(log);
      let continued = false;
      const stream = Array.from({ length: 4 }, async () => {
        while (!continued) await single!.render('html', '<p>one after the other');
      });
      await expect.poll(async () => ordinary(await wholeLog()) - before).toBeGreaterThanOrEqual(5);
      continued = true;
      await Promise.all(stream);
      expect((await service.stop('SIGTERM')).code).toBe(0);
    },
    timeoutMs,
  );

  it(
    'rejects jobs over the backlog limit with a retry time, and still accepts synchronous renders',
    async () => {
      installation = await openTestInstallation({ RENDER_BACKLOG: '5', RENDER_CONCURRENCY: '1' });
      const service = await installation.start();
      const client = createClient(
        service.url,
        (await issueKey(installation, await openAccount(installation, ...plenty))).key,
      );
      const jobs = createJobClient(client);
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => jobs.postJson('/api/v1/render/async', { ...smallRequest, wait_time: 5_000 })),
      );
      const accepted = responses.filter(({ status }) => status === 200);
      expect(accepted).toHaveLength(5);
      for (const response of responses.filter(({ status }) => status !== 200)) {
        const { retry_after } = expectErrorResponse(response, 'service_unavailable');
        expect(retry_after).toBeGreaterThanOrEqual(1);
        expect(response.headers.get('retry-after')).toBe(String(retry_after));
      }
      await client.render('html', '<p>waited for');
      await waitUntil(
        'there is room again',
        async () => (await jobs.postJson('/api/v1/render/async', smallRequest)).status === 200,
      );
      expect((await service.stop('SIGTERM')).code).toBe(0);
    },
    timeoutMs,
  );
});

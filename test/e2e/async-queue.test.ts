import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareId, streams } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { createUnlimitedKey, issueKey, openAccount } from '../support/service/accounts.ts';
import {
  type ApiClient,
  type ApiResponse,
  type Body,
  createClient,
  type RenderResult,
} from '../support/client/api-client.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { createJobClient, type QueuedResult, smallRequest } from '../support/client/job-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { type ScriptTracker, openScriptTracker } from '../support/documents/script-tracker.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const [backlog, concurrency] = [30, 2] as const;
/** How many documents run at once at most, while they take long. */
const maxRunning = 4 * concurrency;
let scriptTracker: ScriptTracker;
const at = serviceForTestFile(async () => {
  scriptTracker = await openScriptTracker();
  return {
    RENDER_BACKLOG: String(backlog),
    RENDER_CONCURRENCY: String(concurrency),
    COLOPHON_EGRESS_ALLOW: scriptTracker.host,
  };
});
afterAll(() => scriptTracker.close());

/** How many renders of an account ended between the request and the end of this one. */
const endedMeanwhile = (log: readonly RecordedEvent[], renderId: string, accountId: string): number => {
  const stream = streams.render(bareId('render', renderId)!);
  const [from, to] = ['RenderRequested', 'RenderCompleted'].map(
    (type) => log.find((event) => event.stream === stream && event.type === type)!.position,
  );
  return log.filter(
    ({ type, metadata, position }) =>
      type === 'RenderCompleted' && metadata.accountId === accountId && position > from! && position < to!,
  ).length;
};

describe('While an account has many jobs in the queue,', () => {
  let crowdAccount: string;
  let crowd: ApiClient;
  let single: ApiClient;
  let submitted: ApiResponse[];
  let singleJob: QueuedResult;
  let waitedFor: RenderResult;
  let log: RecordedEvent[];

  const endedOfCrowd = (): number =>
    log.filter(({ type, metadata }) => type === 'RenderCompleted' && metadata.accountId === crowdAccount).length;

  beforeAll(async () => {
    const plenty = ['--requests-per-minute', '1000000', '--requests-per-month', '1000000'];
    const account = await openAccount(at.installation, ...plenty);
    crowdAccount = bareId('acc', account)!;
    crowd = createClient(at.service.url, (await issueKey(at.installation, account)).key);
    single = createClient(at.service.url, await createUnlimitedKey(at.installation));
    // The first run until all are submitted. Each of the others takes a while, so that few are enough for a queue.
    const submit = (count: number, fields: Body): Promise<ApiResponse[]> =>
      Promise.all(
        Array.from({ length: count }, () =>
          createJobClient(crowd).postJson('/api/v1/render/async', { ...smallRequest, ...fields }),
        ),
      );
    const first = await submit(maxRunning, { data: scriptTracker.heldImage('crowd') });
    submitted = [...first, ...(await submit(2 * backlog - maxRunning, { wait_time: 400 }))];
    scriptTracker.release('crowd');
    const jobs = createJobClient(single);
    singleJob = await waitUntil('there is room for a job', async () => {
      const response = await jobs.postJson('/api/v1/render/async', smallRequest);
      return response.status === 200 && (response.body as unknown as QueuedResult);
    });
    await jobs.waitUntilEnded(singleJob.job_id);
    waitedFor = await crowd.render('html', '<p>at once');
    log = await withInstallationEngines(at.installation, ({ store }) => store.readAll(0, 1_000_000));
  });

  it('those over the backlog limit are rejected with a retry time', () => {
    const refused = submitted.filter(({ status }) => status !== 200);
    const accepted = submitted.length - refused.length;
    expect(accepted).toBeGreaterThan(backlog / 2);
    // Some end while others are submitted.
    expect(accepted - endedOfCrowd()).toBeLessThanOrEqual(backlog);
    expect(refused.length).toBeGreaterThan(0);
    for (const response of refused) {
      const { retry_after } = expectErrorResponse(response, 'service_unavailable');
      expect(retry_after).toBeGreaterThanOrEqual(1);
      expect(response.headers.get('retry-after')).toBe(String(retry_after));
    }
  });

  it('the job of another account gets its turn before most of them', () => {
    expect(endedMeanwhile(log, singleJob.id, crowdAccount)).toBeLessThanOrEqual(10);
  });

  it('a synchronous render of the same account gets its turn before most of them', () => {
    expect(endedMeanwhile(log, waitedFor.id, crowdAccount)).toBeLessThanOrEqual(10);
  });
});

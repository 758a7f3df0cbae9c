import { readFileSync } from 'node:fs';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobResponse } from '#contracts/http/jobs.ts';
import { bareId, streams } from '#contracts/names.ts';
import type { RenderEvent } from '#contracts/events/render.ts';
import { render } from '#libs/domain/render.ts';
import { newAggregate, loadAggregate } from '#application/command-handling/aggregate.ts';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { createJobClient, type JobClient, smallRequest } from '../support/client/job-client.ts';
import { type ScriptTracker, openScriptTracker } from '../support/documents/script-tracker.ts';
import { openWebhookReceivers, type WebhookReceiver, type WebhookReceivers } from '../support/webhooks/receivers.ts';
import { readStoredText } from '../support/service/stored-text.ts';
import { canary, headers, secretPath, secretUrl, shownUrl } from '../support/webhooks/secret-target.ts';
import { stopService } from '../support/service/for-test-file.ts';
import { type TestInstallation, openTestInstallation, type RunningService } from '../support/service/installation.ts';
import { waitUntil } from '../support/wait-until.ts';

type Data<T extends RenderEvent['type']> = Extract<RenderEvent, { type: T }>['data'];
const released = <T extends RenderEvent['type']>(name: string): Data<T> =>
  (
    JSON.parse(readFileSync(new URL(`../fixtures/events/${name}.json`, import.meta.url), 'utf8')) as {
      event: { data: Data<T> };
    }
  ).event.data;

const cause = (accountId: string | null) => ({
  actor: { kind: 'person', name: 'tests' } as const,
  accountId,
  correlationId: 'tests',
  causationId: null,
  traceparent: null,
});

let receivers: WebhookReceivers;
let scriptTracker: ScriptTracker;
let installation: TestInstallation;
let account: string;
let key: string;
let second: RunningService;
let jobs: JobClient;

const delivered = (jobId: string): Promise<JobResponse> =>
  jobs.waitUntilJob(jobId, 'is delivered', ({ webhook_status }) => webhook_status === 'delivered');

/** Jobs that the first service had accepted when it was killed, and their receivers. */
let interrupted: {
  within: string;
  between: string;
  rendering: string;
  held: WebhookReceiver;
  /** The receiver of the job `between`. The URL and headers of its callback have secrets. */
  failing: WebhookReceiver;
  healthy: WebhookReceiver;
  /** What the killed service has logged and stored. */
  logs: string;
  stored: string[];
};
/** Jobs in the event log for ten minutes, and not on the bus. */
let lost: { ids: string[]; receiver: WebhookReceiver };

const interruptJobs = async (): Promise<typeof interrupted> => {
  const first = await installation.start();
  const held = await receivers.openReceiver((_, nth) => (nth === 0 ? () => undefined : 200));
  const failing = await receivers.openReceiver((received, nth) =>
    nth === 0 ? (_, response) => response.writeHead(503).end(JSON.stringify([received.headers, received.path])) : 200,
  );
  const healthy = await receivers.openReceiver();
  const before = createJobClient(createClient(first.url, key));
  const secret = { ...smallRequest, webhook_url: secretUrl(failing.url), webhook_headers: headers };
  const postSecret = () => before.postJson('/api/v1/render', secret, { 'idempotency-key': 'canary' });
  const { body, text } = await postSecret();
  expect(body.webhook_url).toBe(secretUrl(failing.url));
  expect((await postSecret()).text).toBe(text);
  const between = String(body.job_id);
  await before.waitUntilJob(between, 'was attempted', ({ webhook_attempts }) => webhook_attempts! >= 1);
  const rendering = await before.submit(
    { webhook_url: healthy.url },
    { mode: 'CONVERT', input_type: 'html', data: scriptTracker.endlessDocument('rendering') },
  );
  const processing = await before.waitUntilJob(
    rendering.job_id,
    'has started',
    ({ status }) => status === 'PROCESSING',
  );
  expect(processing.started_at).toBeDefined();
  // Last, because the attempt ends after ten seconds.
  const within = await before.submit({ webhook_url: held.url });
  await waitUntil('the first attempt is under way', () => held.received.length > 0);
  const { stdout, stderr } = await first.stop('SIGKILL');
  return {
    logs: stdout + stderr,
    stored: await readStoredText(installation),
    within: within.job_id,
    between,
    rendering: rendering.job_id,
    held,
    failing,
    healthy,
  };
};

/** As if the worker was killed after it had appended the PDF and before any callback. */
const completeRender = (jobId: string): Promise<void> =>
  withInstallationEngines(installation, async ({ store, blobs }) => {
    const stream = streams.render(bareId('job', jobId)!);
    const { aggregate, history } = await loadAggregate({ store, now: () => new Date() }, render, stream);
    const data = {
      ...released<'RenderCompleted'>('RenderCompleted.v1.kept'),
      pdf: await blobs.put(Buffer.from('%PDF-1.7')),
      keptUntil: new Date(Date.now() + 3_600_000).toISOString(),
    };
    await aggregate.execute({ type: 'complete', data }, cause(history[0]!.metadata.accountId));
  });

const loseJobs = (url: string): Promise<string[]> =>
  withInstallationEngines(installation, async ({ store, blobs }) => {
    const accountId = bareId('acc', account)!;
    const longAgo = new Date(Date.now() - 10 * 60_000);
    const input = await blobs.put(Buffer.from('<p>lost and found'));
    const ids = Array.from({ length: 5 }, (_, n) => ulid(longAgo.getTime() + n));
    for (const id of ids) {
      const data: Data<'RenderRequested'> = {
        ...released<'RenderRequested'>('RenderRequested.v1.webhook'),
        accountId,
        source: { mode: 'CONVERT', inputType: 'html', input },
        responseMode: {
          kind: 'webhook',
          estimatedMs: 1,
          url,
          urlIsMasked: false,
          method: 'POST',
          headers: {},
          sealed: null,
        },
      };
      await newAggregate({ store, now: () => longAgo }, render, streams.render(id)).execute(
        { type: 'request', data },
        cause(accountId),
      );
    }
    return ids.map((id) => `job_${id}`);
  });

beforeAll(async () => {
  [receivers, scriptTracker] = await Promise.all([openWebhookReceivers(), openScriptTracker()]);
  installation = await openTestInstallation({ ...receivers.settings, LOG_LEVEL: 'trace' });
  account = await openAccount(installation, '--requests-per-minute', '1000000');
  key = (await issueKey(installation, account)).key;
  interrupted = await interruptJobs();
  await completeRender(interrupted.rendering);
  const receiver = await receivers.openReceiver();
  lost = { receiver, ids: await loseJobs(receiver.url) };
  second = await installation.start();
  jobs = createJobClient(createClient(second.url, key));
});
afterAll(async () => {
  try {
    await stopService(second);
  } finally {
    await installation.remove();
    await receivers.close();
    scriptTracker.close();
  }
});

/** For tests that wait for a lease to expire. */
const timeoutMs = 300_000;

describe('After a service was killed', () => {
  it(
    'callbacks continue before their first attempt, during an attempt and between two attempts',
    async () => {
      const { within, between, rendering, held, failing, healthy } = interrupted;
      expect(await delivered(rendering)).toMatchObject({ status: 'DONE', webhook_attempts: 1 });
      expect(await delivered(between)).toMatchObject({ webhook_attempts: 2 });
      expect(await delivered(within)).toMatchObject({ webhook_attempts: 1 });
      expect([held, failing, healthy].map(({ received }) => received.length)).toEqual([2, 2, 1]);
      expect(held.received[1]!.bytes.equals(held.received[0]!.bytes)).toBe(true);
      const types = (await jobs.events(within)).map(({ type }) => type);
      expect(types.slice(-3)).toEqual(['WebhookAttemptStarted', 'WebhookAttempted', 'WebhookDelivered']);
      expect(types.filter((type) => type === 'RenderCompleted')).toHaveLength(1);
    },
    timeoutMs,
  );

  it('the headers and the URL of a callback reach its receiver, and are in no log, no file and no later response', async () => {
    const { between, failing, logs, stored } = interrupted;
    expect(await delivered(between)).toMatchObject({ webhook_attempts: 2, webhook_url: shownUrl(failing.url) });
    expect(failing.received.map(({ path, headers: sent }) => [path, sent])).toEqual(
      [1, 2].map(() => [
        secretPath,
        expect.objectContaining({ authorization: headers.Authorization, 'x-tenant': headers['X-Tenant'] }),
      ]),
    );
    const { data } = await waitUntil('the secrets are erased', async () =>
      (await jobs.events(between)).findLast(({ type }) => type === 'WebhookTargetErased'),
    );
    const isStored = await withInstallationEngines(installation, ({ blobs }) => blobs.has(String(data.sha256)));
    expect(isStored).toBe(false);

    const client = createClient(second.url, key);
    const paths = [`/api/v1/jobs/${between}/events`, `/api/v1/jobs/${between}`, '/api/v1/jobs'];
    const shown = await Promise.all(paths.map(async (path) => (await client.request('GET', path)).text));
    expect(shown[0]).toContain('"Authorization":"***"');
    const id = bareId('job', between)!;
    for (const stream of [streams.render(id), streams.delivery(id)])
      shown.push((await installation.runCommand('events', stream, '--raw')).stdout);
    expect((await installation.runCommand('rebuild', 'deliveries')).code).toBe(0);
    expect(await jobs.get(between)).toMatchObject({ webhook_url: shownUrl(failing.url) });
    const texts = [...shown, logs, second.output(), ...stored, ...(await readStoredText(installation))];
    expect(texts.filter((text) => canary.test(text))).toEqual([]);
  });

  it(
    'jobs that the bus has lost end once each, and their callbacks are sent',
    async () => {
      for (const id of lost.ids) {
        await delivered(id);
        const types = (await jobs.events(id)).map(({ type }) => type);
        expect(types.filter((type) => type === 'RenderCompleted')).toHaveLength(1);
        expect(lost.receiver.forJob(id)).toHaveLength(1);
      }
    },
    timeoutMs,
  );
});

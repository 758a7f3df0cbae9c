import { readFileSync } from 'node:fs';
import { ulid } from 'ulid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bareId, streams } from '#contracts/names.ts';
import type { RenderEvent } from '#contracts/events/render.ts';
import { render } from '#libs/domain/render.ts';
import { newAggregate, loadAggregate } from '#application/command-handling/aggregate.ts';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { createJobClient } from '../support/client/job-client.ts';
import { type ScriptTracker, openScriptTracker } from '../support/documents/script-tracker.ts';
import { openWebhookReceivers, type WebhookReceivers } from '../support/webhooks/receivers.ts';
import { type TestInstallation, openTestInstallation } from '../support/service/installation.ts';
import { waitUntil } from '../support/wait-until.ts';

type Data<T extends RenderEvent['type']> = Extract<RenderEvent, { type: T }>['data'];
const released = <T extends RenderEvent['type']>(name: string): Data<T> =>
  (
    JSON.parse(readFileSync(new URL(`../fixtures/events/${name}.json`, import.meta.url), 'utf8')) as {
      event: { data: Data<T> };
    }
  ).event.data;

const tests = { kind: 'person', name: 'tests' } as const;

let receivers: WebhookReceivers;
let scriptTracker: ScriptTracker;
/** For tests that wait for a lease to expire. */
const timeoutMs = 300_000;

let installation: TestInstallation;
let account: string;
let key: string;
beforeEach(async () => {
  [receivers, scriptTracker] = await Promise.all([openWebhookReceivers(), openScriptTracker()]);
  installation = await openTestInstallation(receivers.settings);
  account = await openAccount(installation, '--requests-per-minute', '1000000');
  key = (await issueKey(installation, account)).key;
});
afterEach(async () => {
  await installation.remove();
  await receivers.close();
  scriptTracker.close();
});

describe('After a service was killed', () => {
  it(
    'callbacks continue before their first attempt, during an attempt and between two attempts',
    async () => {
      const first = await installation.start();
      const held = await receivers.openReceiver((_, nth) => (nth === 0 ? () => undefined : 200));
      const failing = await receivers.openReceiver((_, nth) => (nth === 0 ? 503 : 200));
      const healthy = await receivers.openReceiver();
      const before = createJobClient(createClient(first.url, key));
      const within = await before.submit({ webhook_url: held.url });
      const between = await before.submit({ webhook_url: failing.url });
      const rendering = await before.submit(
        { webhook_url: healthy.url },
        { mode: 'CONVERT', input_type: 'html', data: scriptTracker.endlessDocument('rendering') },
      );
      await waitUntil('the first attempt is under way', () => held.received.length > 0);
      await before.waitUntilJob(rendering.job_id, 'has started', ({ status }) => status === 'PROCESSING');
      await before.waitUntilJob(between.job_id, 'was attempted', ({ webhook_attempts }) => webhook_attempts! >= 1);
      await first.stop('SIGKILL');

      // As if the worker was killed after it had appended the PDF and before any callback.
      await withInstallationEngines(installation, async ({ store, blobs }) => {
        const { aggregate, history } = await loadAggregate(
          { store, now: () => new Date() },
          render,
          streams.render(bareId('render', rendering.id)!),
        );
        const data = {
          ...released<'RenderCompleted'>('RenderCompleted.v1.kept'),
          pdf: await blobs.put(Buffer.from('%PDF-1.7')),
          keptUntil: new Date(Date.now() + 3_600_000).toISOString(),
        };
        await aggregate.execute(
          { type: 'complete', data },
          {
            actor: tests,
            accountId: history[0]!.metadata.accountId,
            correlationId: 'tests',
            causationId: null,
            traceparent: null,
          },
        );
      });

      const second = await installation.start();
      const after = createJobClient(createClient(second.url, key));
      const delivered = (job_id: string) =>
        after.waitUntilJob(job_id, 'is delivered', ({ webhook_status }) => webhook_status === 'delivered');
      expect(await delivered(rendering.job_id)).toMatchObject({ status: 'DONE', webhook_attempts: 1 });
      expect(await delivered(between.job_id)).toMatchObject({ webhook_attempts: 2 });
      expect(await delivered(within.job_id)).toMatchObject({ webhook_attempts: 1 });
      expect([held, failing, healthy].map(({ received }) => received.length)).toEqual([2, 2, 1]);
      expect(held.received[1]!.bytes.equals(held.received[0]!.bytes)).toBe(true);
      const types = (await after.events(within.job_id)).map(({ type }) => type);
      expect(types.slice(-3)).toEqual(['WebhookAttemptStarted', 'WebhookAttempted', 'WebhookDelivered']);
      expect(types.filter((type) => type === 'RenderCompleted')).toHaveLength(1);
      expect((await second.stop('SIGTERM')).code).toBe(0);
    },
    timeoutMs,
  );

  it(
    'jobs that the bus has lost end once each, and their callbacks are sent',
    async () => {
      const receiver = await receivers.openReceiver();
      const accountId = bareId('acc', account)!;
      const longAgo = new Date(Date.now() - 10 * 60_000);
      // In the event log for ten minutes, and not on the bus.
      const ids = await withInstallationEngines(installation, async ({ store, blobs }) => {
        const input = await blobs.put(Buffer.from('<p>lost and found'));
        const made = Array.from({ length: 30 }, (_, n) => ulid(longAgo.getTime() + n));
        for (const id of made) {
          const data: Data<'RenderRequested'> = {
            ...released<'RenderRequested'>('RenderRequested.v1.webhook'),
            accountId,
            source: { mode: 'CONVERT', inputType: 'html', input },
            responseMode: {
              kind: 'webhook',
              estimatedMs: 1,
              url: receiver.url,
              urlIsMasked: false,
              method: 'POST',
              headers: {},
              sealed: null,
            },
          };
          await newAggregate({ store, now: () => longAgo }, render, streams.render(id)).execute(
            { type: 'request', data },
            { actor: tests, accountId, correlationId: 'tests', causationId: null, traceparent: null },
          );
        }
        return made;
      });
      const service = await installation.start();
      const jobs = createJobClient(createClient(service.url, key));
      for (const id of ids) {
        await jobs.waitUntilJob(`job_${id}`, 'is delivered', ({ webhook_status }) => webhook_status === 'delivered');
        const types = (await jobs.events(`job_${id}`)).map(({ type }) => type);
        expect(types.filter((type) => type === 'RenderCompleted')).toHaveLength(1);
        expect(receiver.forJob(`job_${id}`)).toHaveLength(1);
      }
      expect((await service.stop('SIGTERM')).code).toBe(0);
    },
    timeoutMs,
  );
});

import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { streams } from '#contracts/names.ts';
import { changeAccount } from '#application/accounts/commands.ts';
import { delivery } from '#libs/domain/delivery.ts';
import type { WebhookRequest, WebhookResult } from '#libs/egress/egress.ts';
import { loadAggregate } from '#application/command-handling/aggregate.ts';
import { sealTarget } from '#application/deliveries/target.ts';
import {
  deliverWebhook,
  type DeliveryDependencies,
  createAttemptSchedule,
} from '#application/deliveries/deliver-webhook.ts';
import { openEmbeddedEngines, pollResponseMode, type EmbeddedEngines } from '../support/api/embedded-engines.ts';

const secrets = { current: Buffer.alloc(32, 7), previous: [] };
const responded = (status: number): WebhookResult => ({
  kind: 'responded',
  status,
  body: 'x'.repeat(5000),
  durationMs: 3.4,
});
const timedOut: WebhookResult = {
  kind: 'timeout',
  reason: 'example.com accepted the request and did not respond within 10 s.',
  durationMs: 10_000,
};
const dayMs = 24 * 60 * 60 * 1000;

/** A delivery worker with a receiver that responds as `respond` says. `calls` records the requests. */
const deliveryServiceOn = (
  { eventLog, clock, engines: { blobs, reads } }: EmbeddedEngines,
  respond: (nth: number) => WebhookResult | Promise<WebhookResult>,
) => {
  const calls: WebhookRequest[] = [];
  const dependencies: DeliveryDependencies = {
    eventLog,
    blobs,
    reads,
    secrets,
    attemptSchedule: createAttemptSchedule(() => clock.uptimeMs),
    baseUrl: 'https://pdf.example',
    egress: { sendWebhook: async (call) => respond(calls.push(call)) },
  };
  return { calls, deliver: (id: string, deliveryCount?: number) => deliverWebhook(dependencies, id, deliveryCount) };
};

describe('The schedule of webhook attempts', () => {
  test('is at once, after five seconds, after thirty seconds, and no more', async () => {
    const embedded = await openEmbeddedEngines();
    const { id } = await embedded.recordCompletedRender();
    const { calls, deliver } = deliveryServiceOn(embedded, () => timedOut);
    expect(await deliver(id)).toEqual({ kind: 'retry', delayMs: 5_000 });
    embedded.advanceClock(4_999);
    expect(await deliver(id)).toEqual({ kind: 'retry', delayMs: 1 });
    expect(calls).toHaveLength(1);
    embedded.advanceClock(1);
    expect(await deliver(id)).toEqual({ kind: 'retry', delayMs: 30_000 });
    embedded.advanceClock(30_000);
    expect(await deliver(id)).toEqual({ kind: 'done' });
    embedded.advanceClock(dayMs);
    expect(await deliver(id)).toEqual({ kind: 'done' });
    expect(calls).toHaveLength(3);
    expect(await embedded.eventTypesIn(streams.delivery(id))).toEqual([
      'DeliveryRequested',
      'WebhookAttemptStarted',
      'WebhookAttempted',
      'WebhookAttemptStarted',
      'WebhookAttempted',
      'WebhookAttemptStarted',
      'WebhookAttempted',
      'WebhookFailed',
    ]);
  });

  test('continues from the event log in another process, at the recorded time', async () => {
    const embedded = await openEmbeddedEngines();
    const { id } = await embedded.recordCompletedRender();
    await deliveryServiceOn(embedded, () => responded(500)).deliver(id);
    embedded.advanceClock(2_000);
    const other = deliveryServiceOn(embedded, () => responded(200));
    expect(await other.deliver(id)).toEqual({ kind: 'retry', delayMs: 3_000 });
    embedded.advanceClock(3_000);
    expect(await other.deliver(id)).toEqual({ kind: 'done' });
    expect(other.calls).toHaveLength(1);
  });

  const hourMs = 3_600_000;

  test.each([
    ['back', -hourMs],
    ['forward', hourMs],
  ])('does not change when the clock is set %s by an hour', async (_, byMs) => {
    const embedded = await openEmbeddedEngines();
    const { id } = await embedded.recordCompletedRender();
    const { calls, deliver } = deliveryServiceOn(embedded, () => timedOut);
    expect(await deliver(id)).toEqual({ kind: 'retry', delayMs: 5_000 });
    embedded.setClock(byMs);
    embedded.advanceClock(4_000);
    expect(await deliver(id)).toEqual({ kind: 'retry', delayMs: 1_000 });
    embedded.advanceClock(1_000);
    expect(await deliver(id)).toEqual({ kind: 'retry', delayMs: 30_000 });
    embedded.setClock(byMs);
    embedded.advanceClock(30_000);
    expect(await deliver(id)).toEqual({ kind: 'done' });
    expect(calls).toHaveLength(3);
  });

  test('waits at most the delay of an attempt when the clock was set back before another process continues', async () => {
    const embedded = await openEmbeddedEngines();
    const { id } = await embedded.recordCompletedRender();
    await deliveryServiceOn(embedded, () => timedOut).deliver(id);
    embedded.setClock(-hourMs);
    const other = deliveryServiceOn(embedded, () => responded(200));
    expect(await other.deliver(id)).toEqual({ kind: 'retry', delayMs: 5_000 });
    embedded.advanceClock(5_000);
    expect(await other.deliver(id)).toEqual({ kind: 'done' });
    expect(other.calls).toHaveLength(1);
  });

  test('repeats an attempt whose end was not recorded, and does not count it twice', async () => {
    const embedded = await openEmbeddedEngines();
    const { id } = await embedded.recordCompletedRender();
    const interrupted = deliveryServiceOn(embedded, () => Promise.reject(new Error('the process ended')));
    await expect(interrupted.deliver(id)).rejects.toThrow('the process ended');
    const { deliver } = deliveryServiceOn(embedded, () => responded(200));
    expect(await deliver(id)).toEqual({ kind: 'done' });
    const { history } = await loadAggregate(embedded.eventLog, delivery, streams.delivery(id));
    expect(history.map(({ type }) => type)).toEqual([
      'DeliveryRequested',
      'WebhookAttemptStarted',
      'WebhookAttempted',
      'WebhookDelivered',
    ]);
    expect(history.at(-1)!.data).toEqual({ round: 1, attempt: 1 });
  });

  test('records one delivery when a webhook is requested twice at the same moment', async () => {
    const embedded = await openEmbeddedEngines();
    const { id } = await embedded.recordCompletedRender();
    const { deliver } = deliveryServiceOn(embedded, () => responded(200));
    await Promise.all([deliver(id), deliver(id)]);
    expect(
      (await embedded.eventTypesIn(streams.delivery(id))).filter((type) => type === 'WebhookDelivered'),
    ).toHaveLength(1);
    const later = deliveryServiceOn(embedded, () => responded(200));
    await later.deliver(id);
    expect(later.calls).toEqual([]);
  });
});

describe('A webhook whose body is missing in the blob store', () => {
  const openWithoutBody = async () => {
    const embedded = await openEmbeddedEngines();
    const { id } = await embedded.recordCompletedRender();
    await deliveryServiceOn(embedded, () => timedOut).deliver(id);
    embedded.advanceClock(5_000);
    const { payload } = (await embedded.engines.store.read(streams.delivery(id)))[0]!.data as {
      payload: { sha256: string };
    };
    const body = await embedded.engines.blobs.get(payload.sha256);
    await embedded.engines.blobs.delete(payload.sha256);
    return { embedded, id, body };
  };

  test('starts no attempt and is tried again, and is sent when the body is back', async () => {
    const { embedded, id, body } = await openWithoutBody();
    const { calls, deliver } = deliveryServiceOn(embedded, () => responded(200));
    for (const deliveryCount of [2, 3, 20]) await expect(deliver(id, deliveryCount)).rejects.toThrow('no blob');
    expect(await embedded.eventTypesIn(streams.delivery(id))).toEqual([
      'DeliveryRequested',
      'WebhookAttemptStarted',
      'WebhookAttempted',
    ]);
    await embedded.engines.blobs.put(body);
    expect(await deliver(id, 21)).toEqual({ kind: 'done' });
    expect(calls).toHaveLength(1);
  });

  test('fails after an hour without a request', async () => {
    const { embedded, id } = await openWithoutBody();
    const { calls, deliver } = deliveryServiceOn(embedded, () => responded(200));
    await deliver(id, 100);
    embedded.advanceClock(30_000);
    expect(await deliver(id, 101)).toEqual({ kind: 'done' });
    expect((await embedded.engines.store.read(streams.delivery(id))).at(-1)).toMatchObject({
      type: 'WebhookFailed',
      data: { lastError: 'The service has lost what it was to send.' },
    });
    expect(calls).toEqual([]);
    expect(await deliver(id, 102)).toEqual({ kind: 'done' });
  });
});

describe('A webhook', () => {
  test('is not sent before the render has ended, nor for a render without a webhook', async () => {
    const embedded = await openEmbeddedEngines();
    const { calls, deliver } = deliveryServiceOn(embedded, () => responded(200));
    for (const id of [
      await embedded.recordQueuedRender(),
      (await embedded.recordCompletedRender(pollResponseMode)).id,
      '01JQZX3C5V8Y2N6T4R7W9K0MHB',
    ])
      expect(await deliver(id)).toEqual({ kind: 'done' });
    expect(calls).toEqual([]);
  });

  test('is the same at every attempt, except for the timestamp of Standard Webhooks', async () => {
    const embedded = await openEmbeddedEngines();
    const { id } = await embedded.recordCompletedRender();
    const { calls, deliver } = deliveryServiceOn(embedded, () => responded(503));
    await deliver(id);
    embedded.advanceClock(5_000);
    await deliver(id);
    const [first, second] = calls;
    expect(Buffer.from(second!.body).equals(Buffer.from(first!.body))).toBe(true);
    expect([first, second].map((call) => call!.headers['webhook-id'])).toEqual([`msg_${id}`, `msg_${id}`]);
    expect([first, second].map((call) => Number(call!.headers['webhook-timestamp']))).toEqual([
      Date.parse('2026-03-02T09:00:00Z') / 1000,
      Date.parse('2026-03-02T09:00:05Z') / 1000,
    ]);
    expect(second!.headers['x-service-signature']).toBe(first!.headers['x-service-signature']);
    expect(first).toMatchObject({
      timeoutMs: 10_000,
      maxResponseBytes: 4_000,
      method: 'POST',
      url: 'https://example.com/hook',
    });
  });

  test('contains the details of a failure, or the other fields of the error', async () => {
    const embedded = await openEmbeddedEngines();
    const { calls, deliver } = deliveryServiceOn(embedded, () => responded(200));
    await deliver(
      await embedded.recordFailedRender({
        name: 'invalid_html',
        message: 'It ends.',
        extra: { details: 'inside a tag', line: 3 },
      }),
    );
    await deliver(
      await embedded.recordFailedRender({
        name: 'image_load_failed',
        message: 'No image.',
        extra: { image_url: 'https://a/', reason: '404' },
      }),
    );
    await deliver(await embedded.recordFailedRender({ name: 'internal_error', message: 'Our fault.', extra: {} }));
    const bodies = calls.map(({ body }) => JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>);
    expect(bodies.map(({ error, details }) => [error, details])).toEqual([
      ['invalid_html', 'inside a tag'],
      ['image_load_failed', { image_url: 'https://a/', reason: '404' }],
      ['internal_error', null],
    ]);
  });

  test("has the service's own headers also when those of the caller differ in case", async () => {
    const embedded = await openEmbeddedEngines();
    const { calls, deliver } = deliveryServiceOn(embedded, () => responded(200));
    const target = { url: 'https://example.com/hook', method: 'POST', headers: { 'USER-AGENT': 'mine' } } as const;
    await deliver(
      (
        await embedded.recordCompletedRender(async (id) => ({
          kind: 'webhook',
          estimatedMs: 1,
          ...(await sealTarget({ blobs: embedded.engines.blobs, secrets }, id, target)),
        }))
      ).id,
    );
    expect(Object.keys(calls[0]!.headers).toSorted()).toEqual([
      'content-type',
      'user-agent',
      'webhook-id',
      'webhook-signature',
      'webhook-timestamp',
      'x-service-signature',
    ]);
    expect(calls[0]!.headers['user-agent']).toBe('mine');
  });

  test('is signed by both secrets for 24 hours after a rotation, and then by the new one alone', async () => {
    const embedded = await openEmbeddedEngines();
    const { calls, deliver } = deliveryServiceOn(embedded, () => responded(200));
    const signed = async () => {
      await deliver((await embedded.recordCompletedRender()).id);
      return calls.at(-1)!.headers;
    };
    const count = ({ 'webhook-signature': signatures }: Record<string, string>): number =>
      signatures!.split(' ').length;
    expect(count(await signed())).toBe(1);
    await changeAccount(embedded.eventLog, embedded.actor, embedded.accountId, { type: 'rotateWebhookSecret' });
    await embedded.catchUpReadModels();
    expect(count(await signed())).toBe(2);
    embedded.advanceClock(dayMs - 1);
    expect(count(await signed())).toBe(2);
    embedded.advanceClock(1);
    const last = await signed();
    expect(count(last)).toBe(1);
    expect(last['x-service-signature']).toMatch(/^[0-9a-f]{64}$/);
  });
});

test('An attempt records the first thousand characters of the response, with status and duration', async () => {
  const embedded = await openEmbeddedEngines();
  const { id } = await embedded.recordCompletedRender();
  await deliveryServiceOn(embedded, () => responded(200)).deliver(id);
  const attempted = (await embedded.engines.store.read(streams.delivery(id))).find(
    ({ type }) => type === 'WebhookAttempted',
  );
  expect(attempted!.data).toEqual({
    round: 1,
    attempt: 1,
    outcome: { kind: 'responded', status: 200, responseBody: 'x'.repeat(1000) },
    durationMs: 3,
    nextAttemptAt: null,
  });
});

test('A redelivery is a new round of three attempts after the first round has ended', async () => {
  const embedded = await openEmbeddedEngines();
  const { id } = await embedded.recordCompletedRender();
  const { calls, deliver } = deliveryServiceOn(embedded, (nth) => (nth === 1 ? responded(404) : timedOut));
  await deliver(id);
  const { aggregate } = await loadAggregate(embedded.eventLog, delivery, streams.delivery(id));
  await aggregate.execute({ type: 'redeliver', target: null }, embedded.cause);
  for (const waitMs of [5_000, 30_000, 0]) {
    await deliver(id);
    embedded.advanceClock(waitMs);
  }
  expect(calls).toHaveLength(4);
  expect((await embedded.eventTypesIn(streams.delivery(id))).at(-1)).toBe('WebhookFailed');
});

test('A webhook is signed with the secret that the account is shown', async () => {
  const embedded = await openEmbeddedEngines();
  const { calls, deliver } = deliveryServiceOn(embedded, () => responded(200));
  await deliver((await embedded.recordCompletedRender()).id);
  const { webhookSecrets } = await import('#libs/secrets/webhook-secret.ts');
  const [shown] = webhookSecrets(
    secrets,
    { id: embedded.accountId, webhookSecret: { generation: 1, rotatedAt: null } },
    embedded.clock.now,
  );
  expect(calls[0]!.headers['x-service-signature']).toBe(
    createHmac('sha256', shown).update(calls[0]!.body).digest('hex'),
  );
});

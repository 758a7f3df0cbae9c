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
const answered = (status: number): WebhookResult => ({
  kind: 'responded',
  status,
  body: 'x'.repeat(5000),
  durationMs: 3.4,
});
const silent: WebhookResult = {
  kind: 'timeout',
  reason: 'example.com accepted the request and did not respond within 10 s.',
  durationMs: 10_000,
};
const dayMs = 24 * 60 * 60 * 1000;

/** A delivery service whose receiver answers as it is told, and which notes what it sent. */
const serviceOn = (
  { eventLog: log, clock, engines: { blobs, reads } }: EmbeddedEngines,
  answer: (nth: number) => WebhookResult | Promise<WebhookResult>,
) => {
  const calls: WebhookRequest[] = [];
  const parts: DeliveryDependencies = {
    eventLog: log,
    blobs,
    reads,
    secrets,
    attemptSchedule: createAttemptSchedule(() => clock.uptimeMs),
    baseUrl: 'https://pdf.example',
    egress: { sendWebhook: async (call) => answer(calls.push(call)) },
  };
  return { calls, deliver: (id: string, delivery?: number) => deliverWebhook(parts, id, delivery) };
};

describe('The schedule', () => {
  test('is at once, five seconds later, thirty seconds later, and no more', async () => {
    const stage = await openEmbeddedEngines();
    const { id } = await stage.recordCompletedRender();
    const { calls, deliver: work } = serviceOn(stage, () => silent);
    expect(await work(id)).toEqual({ kind: 'retry', delayMs: 5_000 });
    stage.advanceClock(4_999);
    expect(await work(id)).toEqual({ kind: 'retry', delayMs: 1 });
    expect(calls).toHaveLength(1);
    stage.advanceClock(1);
    expect(await work(id)).toEqual({ kind: 'retry', delayMs: 30_000 });
    stage.advanceClock(30_000);
    expect(await work(id)).toEqual({ kind: 'done' });
    stage.advanceClock(dayMs);
    expect(await work(id)).toEqual({ kind: 'done' });
    expect(calls).toHaveLength(3);
    expect(await stage.eventTypesIn(streams.delivery(id))).toEqual([
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

  test('goes on from the log in another process, at the time that was set', async () => {
    const stage = await openEmbeddedEngines();
    const { id } = await stage.recordCompletedRender();
    await serviceOn(stage, () => answered(500)).deliver(id);
    stage.advanceClock(2_000);
    const other = serviceOn(stage, () => answered(200));
    expect(await other.deliver(id)).toEqual({ kind: 'retry', delayMs: 3_000 });
    stage.advanceClock(3_000);
    expect(await other.deliver(id)).toEqual({ kind: 'done' });
    expect(other.calls).toHaveLength(1);
  });

  const hourMs = 3_600_000;

  test.each([
    ['back', -hourMs],
    ['forward', hourMs],
  ])('is kept where the clock is set %s by an hour', async (_, byMs) => {
    const stage = await openEmbeddedEngines();
    const { id } = await stage.recordCompletedRender();
    const { calls, deliver: work } = serviceOn(stage, () => silent);
    expect(await work(id)).toEqual({ kind: 'retry', delayMs: 5_000 });
    stage.setClock(byMs);
    stage.advanceClock(4_000);
    expect(await work(id)).toEqual({ kind: 'retry', delayMs: 1_000 });
    stage.advanceClock(1_000);
    expect(await work(id)).toEqual({ kind: 'retry', delayMs: 30_000 });
    stage.setClock(byMs);
    stage.advanceClock(30_000);
    expect(await work(id)).toEqual({ kind: 'done' });
    expect(calls).toHaveLength(3);
  });

  test('waits no longer than the delay of an attempt where the clock was set back before another process goes on', async () => {
    const stage = await openEmbeddedEngines();
    const { id } = await stage.recordCompletedRender();
    await serviceOn(stage, () => silent).deliver(id);
    stage.setClock(-hourMs);
    const other = serviceOn(stage, () => answered(200));
    expect(await other.deliver(id)).toEqual({ kind: 'retry', delayMs: 5_000 });
    stage.advanceClock(5_000);
    expect(await other.deliver(id)).toEqual({ kind: 'done' });
    expect(other.calls).toHaveLength(1);
  });

  test('makes an attempt again that was cut off before its end was recorded, and does not count it twice', async () => {
    const stage = await openEmbeddedEngines();
    const { id } = await stage.recordCompletedRender();
    const cutOff = serviceOn(stage, () => Promise.reject(new Error('the process ended')));
    await expect(cutOff.deliver(id)).rejects.toThrow('the process ended');
    const { deliver: work } = serviceOn(stage, () => answered(200));
    expect(await work(id)).toEqual({ kind: 'done' });
    const { history } = await loadAggregate(stage.eventLog, delivery, streams.delivery(id));
    expect(history.map(({ type }) => type)).toEqual([
      'DeliveryRequested',
      'WebhookAttemptStarted',
      'WebhookAttempted',
      'WebhookDelivered',
    ]);
    expect(history.at(-1)!.data).toEqual({ round: 1, attempt: 1 });
  });

  test('sends a callback that was asked for twice at the same moment, and records one delivery', async () => {
    const stage = await openEmbeddedEngines();
    const { id } = await stage.recordCompletedRender();
    const { deliver: work } = serviceOn(stage, () => answered(200));
    await Promise.all([work(id), work(id)]);
    expect((await stage.eventTypesIn(streams.delivery(id))).filter((type) => type === 'WebhookDelivered')).toHaveLength(
      1,
    );
    const calls = serviceOn(stage, () => answered(200));
    await calls.deliver(id);
    expect(calls.calls).toEqual([]);
  });
});

describe('A callback whose body the blob store lacks', () => {
  const stageWithoutBody = async () => {
    const stage = await openEmbeddedEngines();
    const { id } = await stage.recordCompletedRender();
    await serviceOn(stage, () => silent).deliver(id);
    stage.advanceClock(5_000);
    const { payload } = (await stage.engines.store.read(streams.delivery(id)))[0]!.data as {
      payload: { sha256: string };
    };
    const body = await stage.engines.blobs.get(payload.sha256);
    await stage.engines.blobs.delete(payload.sha256);
    return { stage, id, body };
  };

  test('announces no attempt and comes again, and is sent once the body is there', async () => {
    const { stage, id, body } = await stageWithoutBody();
    const { calls, deliver: work } = serviceOn(stage, () => answered(200));
    for (const delivery of [2, 3, 20]) await expect(work(id, delivery)).rejects.toThrow('no blob');
    expect(await stage.eventTypesIn(streams.delivery(id))).toEqual([
      'DeliveryRequested',
      'WebhookAttemptStarted',
      'WebhookAttempted',
    ]);
    await stage.engines.blobs.put(body);
    expect(await work(id, 21)).toEqual({ kind: 'done' });
    expect(calls).toHaveLength(1);
  });

  test('fails after an hour, without a call', async () => {
    const { stage, id } = await stageWithoutBody();
    const { calls, deliver: work } = serviceOn(stage, () => answered(200));
    await work(id, 100);
    stage.advanceClock(30_000);
    expect(await work(id, 101)).toEqual({ kind: 'done' });
    expect((await stage.engines.store.read(streams.delivery(id))).at(-1)).toMatchObject({
      type: 'WebhookFailed',
      data: { lastError: 'The service has lost what it was to send.' },
    });
    expect(calls).toEqual([]);
    expect(await work(id, 102)).toEqual({ kind: 'done' });
  });
});

describe('What is sent', () => {
  test('is nothing while the render has not ended, or where no callback was asked for', async () => {
    const stage = await openEmbeddedEngines();
    const { calls, deliver: work } = serviceOn(stage, () => answered(200));
    for (const id of [
      await stage.recordQueuedRender(),
      (await stage.recordCompletedRender(pollResponseMode)).id,
      '01JQZX3C5V8Y2N6T4R7W9K0MHB',
    ])
      expect(await work(id)).toEqual({ kind: 'done' });
    expect(calls).toEqual([]);
  });

  test('is the same at every attempt, but for the time of Standard Webhooks', async () => {
    const stage = await openEmbeddedEngines();
    const { id } = await stage.recordCompletedRender();
    const { calls, deliver: work } = serviceOn(stage, () => answered(503));
    await work(id);
    stage.advanceClock(5_000);
    await work(id);
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

  test('carries the details of a failure, and those fields of the error that are not in its message', async () => {
    const stage = await openEmbeddedEngines();
    const { calls, deliver: work } = serviceOn(stage, () => answered(200));
    await work(
      await stage.recordFailedRender({
        name: 'invalid_html',
        message: 'It ends.',
        extra: { details: 'inside a tag', line: 3 },
      }),
    );
    await work(
      await stage.recordFailedRender({
        name: 'image_load_failed',
        message: 'No image.',
        extra: { image_url: 'https://a/', reason: '404' },
      }),
    );
    await work(await stage.recordFailedRender({ name: 'internal_error', message: 'Our fault.', extra: {} }));
    const bodies = calls.map(({ body }) => JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>);
    expect(bodies.map(({ error, details }) => [error, details])).toEqual([
      ['invalid_html', 'inside a tag'],
      ['image_load_failed', { image_url: 'https://a/', reason: '404' }],
      ['internal_error', null],
    ]);
  });

  test("has the service's own headers where the caller's differ in case", async () => {
    const stage = await openEmbeddedEngines();
    const { calls, deliver: work } = serviceOn(stage, () => answered(200));
    const target = { url: 'https://example.com/hook', method: 'POST', headers: { 'USER-AGENT': 'mine' } } as const;
    await work(
      (
        await stage.recordCompletedRender(async (id) => ({
          kind: 'webhook',
          estimatedMs: 1,
          ...(await sealTarget({ blobs: stage.engines.blobs, secrets }, id, target)),
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
    const stage = await openEmbeddedEngines();
    const { calls, deliver: work } = serviceOn(stage, () => answered(200));
    const signed = async () => {
      await work((await stage.recordCompletedRender()).id);
      return calls.at(-1)!.headers;
    };
    const count = ({ 'webhook-signature': signatures }: Record<string, string>): number =>
      signatures!.split(' ').length;
    expect(count(await signed())).toBe(1);
    await changeAccount(stage.eventLog, stage.actor, stage.accountId, { type: 'rotateWebhookSecret' });
    await stage.catchUpReadModels();
    expect(count(await signed())).toBe(2);
    stage.advanceClock(dayMs - 1);
    expect(count(await signed())).toBe(2);
    stage.advanceClock(1);
    const last = await signed();
    expect(count(last)).toBe(1);
    expect(last['x-service-signature']).toMatch(/^[0-9a-f]{64}$/);
  });
});

test('Of an answer the first thousand characters are kept, with status and duration', async () => {
  const stage = await openEmbeddedEngines();
  const { id } = await stage.recordCompletedRender();
  await serviceOn(stage, () => answered(200)).deliver(id);
  const attempted = (await stage.engines.store.read(streams.delivery(id))).find(
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

test('A redelivery is a new round of three attempts, after the first has ended', async () => {
  const stage = await openEmbeddedEngines();
  const { id } = await stage.recordCompletedRender();
  const { calls, deliver: work } = serviceOn(stage, (nth) => (nth === 1 ? answered(404) : silent));
  await work(id);
  const { aggregate } = await loadAggregate(stage.eventLog, delivery, streams.delivery(id));
  await aggregate.execute({ type: 'redeliver', target: null }, stage.cause);
  for (const waitMs of [5_000, 30_000, 0]) {
    await work(id);
    stage.advanceClock(waitMs);
  }
  expect(calls).toHaveLength(4);
  expect((await stage.eventTypesIn(streams.delivery(id))).at(-1)).toBe('WebhookFailed');
});

test('A signature is that of the secret that the account is shown', async () => {
  const stage = await openEmbeddedEngines();
  const { calls, deliver: work } = serviceOn(stage, () => answered(200));
  await work((await stage.recordCompletedRender()).id);
  const { webhookSecrets } = await import('#libs/secrets/webhook-secret.ts');
  const [shown] = webhookSecrets(
    secrets,
    { id: stage.accountId, webhookSecret: { generation: 1, rotatedAt: null } },
    stage.clock.now,
  );
  expect(calls[0]!.headers['x-service-signature']).toBe(
    createHmac('sha256', shown).update(calls[0]!.body).digest('hex'),
  );
});

import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { changeAccount } from '#application/accounts/commands.ts';
import { sealTarget } from '#application/deliveries/target.ts';
import { webhookSecrets } from '#libs/secrets/webhook-secret.ts';
import { openEmbeddedEngines, pollResponseMode } from '../support/api/embedded-engines.ts';
import { deliveryServiceOn, deliverySecrets, responded } from '../support/webhooks/delivery-service.ts';

const dayMs = 24 * 60 * 60 * 1000;

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
          ...(await sealTarget({ blobs: embedded.engines.blobs, secrets: deliverySecrets }, id, target)),
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

test('A webhook is signed with the secret that the account is shown', async () => {
  const embedded = await openEmbeddedEngines();
  const { calls, deliver } = deliveryServiceOn(embedded, () => responded(200));
  await deliver((await embedded.recordCompletedRender()).id);
  const [shown] = webhookSecrets(
    deliverySecrets,
    { id: embedded.accountId, webhookSecret: { generation: 1, rotatedAt: null } },
    embedded.clock.now,
  );
  expect(calls[0]!.headers['x-service-signature']).toBe(
    createHmac('sha256', shown).update(calls[0]!.body).digest('hex'),
  );
});

import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { changeAccount } from '#application/accounts/commands.ts';
import { newCause } from '#application/command-handling/aggregate.ts';
import { sealTarget } from '#application/deliveries/target.ts';
import { readModels } from '#contracts/names.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import { webhookSecrets } from '#libs/secrets/webhook-secret.ts';
import { openEmbeddedEngines, pollResponseMode } from '../support/api/embedded-engines.ts';
import { deliveryServiceOn, deliverySecrets, responded } from '../support/webhooks/delivery-service.ts';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

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
      maxResponseBytes: 2048,
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
      'x-service-signature-all',
    ]);
    expect(calls[0]!.headers['user-agent']).toBe('mine');
  });

  test('is accepted by receivers with any secret that is valid, also after two rotations within a day', async () => {
    const embedded = await openEmbeddedEngines();
    const { calls, deliver } = deliveryServiceOn(embedded, () => responded(200));
    const shownSecret = async (): Promise<string> => {
      const document = (await embedded.engines.reads.get(readModels.accounts, embedded.accountId)) as AccountDocument;
      return webhookSecrets(deliverySecrets, document.id, document.webhookSecret, embedded.clock.now).secret;
    };
    const rotate = async (): Promise<string> => {
      const now = new Date(embedded.clock.now);
      const { eventLog, actor, accountId } = embedded;
      await changeAccount(eventLog, accountId, { type: 'rotateWebhookSecret', now }, newCause(actor, accountId));
      await embedded.catchUpReadModels();
      return shownSecret();
    };
    const hex = (secret: string, body: Uint8Array): string => createHmac('sha256', secret).update(body).digest('hex');
    /** The secrets whose receivers accept the next callback: by the header of the API, and by the one with all. */
    const next = async (...secrets: string[]) => {
      await deliver((await embedded.recordCompletedRender()).id);
      const { headers, body } = calls.at(-1)!;
      expect(headers['webhook-signature']!.split(' ')).toHaveLength(
        headers['x-service-signature-all']!.split(' ').length,
      );
      return {
        one: secrets.filter((secret) => headers['x-service-signature'] === hex(secret, body)),
        all: secrets.filter((secret) => headers['x-service-signature-all']!.split(' ').includes(hex(secret, body))),
      };
    };
    const first = await shownSecret();
    expect(await next(first)).toEqual({ one: [first], all: [first] });
    const second = await rotate();
    expect(await next(first, second)).toEqual({ one: [first], all: [first, second] });
    embedded.advanceClock(hourMs);
    const third = await rotate();
    const secrets = [first, second, third] as const;
    expect(await next(...secrets)).toEqual({ one: [first], all: [...secrets] });
    embedded.advanceClock(dayMs - hourMs - 1);
    expect(await next(...secrets)).toEqual({ one: [first], all: [...secrets] });
    embedded.advanceClock(1);
    expect(await next(...secrets)).toEqual({ one: [second], all: [second, third] });
    embedded.advanceClock(hourMs);
    expect(await next(...secrets)).toEqual({ one: [third], all: [third] });
  });
});

test('A webhook is signed with the secret that the account is shown', async () => {
  const embedded = await openEmbeddedEngines();
  const { calls, deliver } = deliveryServiceOn(embedded, () => responded(200));
  await deliver((await embedded.recordCompletedRender()).id);
  const generations = { generation: 1, previous: [] };
  const { secret } = webhookSecrets(deliverySecrets, embedded.accountId, generations, embedded.clock.now);
  expect(calls[0]!.headers['x-service-signature']).toBe(
    createHmac('sha256', secret).update(calls[0]!.body).digest('hex'),
  );
});

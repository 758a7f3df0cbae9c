import { describe, expect, test } from 'vitest';
import type { ResponseMode } from '#contracts/events/render-request.ts';
import type { WebhookTarget } from '#contracts/events/webhook-target.ts';
import { readModels, streams } from '#contracts/names.ts';
import { BlobNotFound } from '#libs/blob-store/port.ts';
import { createUnreadableBlobs } from '#libs/blob-store/unreadable-blobs.ts';
import { delivery } from '#libs/domain/delivery.ts';
import { EventTooLarge, type EventStore } from '#libs/event-store/port.ts';
import { redeliver } from '#application/deliveries/redeliver.ts';
import type { WebhookRequest, WebhookResult } from '#libs/egress/egress.ts';
import { loadAggregate } from '#application/command-handling/aggregate.ts';
import type { InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import { sealTarget } from '#application/deliveries/target.ts';
import { createAttemptSchedule } from '#application/deliveries/attempt-schedule.ts';
import { deliverWebhook } from '#application/deliveries/deliver-webhook.ts';
import { eraseDeliveryTargets } from '../../services/sweeper/erase.ts';
import { openEmbeddedEngines, type EmbeddedEngines } from '../support/api/embedded-engines.ts';
import { freeConnections } from '../support/webhooks/delivery-service.ts';

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const secrets: InstallationSecrets = { current: first, previous: [] };
const url = 'https://example.com/in/k9Q2z7X1?key=p4M8w6Y3';
const headers = { Authorization: 'Bearer r5T1v3N0' };

const responded = (status: number, body = ''): WebhookResult => ({
  kind: 'responded',
  status,
  headers: {},
  body,
  durationMs: 1,
});

const deliveryServiceOn = (
  { eventLog, clock, engines: { blobs, reads } }: EmbeddedEngines,
  respond: (call: WebhookRequest) => WebhookResult,
  usedSecrets = secrets,
) => {
  const calls: WebhookRequest[] = [];
  const sendWebhook = async (call: WebhookRequest) => {
    calls.push(call);
    return respond(call);
  };
  const attemptSchedule = createAttemptSchedule(() => clock.uptimeMs);
  return {
    calls,
    deliver: (id: string) =>
      deliverWebhook(
        {
          eventLog,
          blobs,
          reads,
          secrets: usedSecrets,
          attemptSchedule,
          baseUrl: 'https://pdf.example',
          connections: freeConnections,
          egress: { sendWebhook },
        },
        id,
      ),
  };
};

/** A completed render whose webhook target has secrets. It is sealed for `owner`, or for the render itself. */
const recordCompleted = async (
  embedded: EmbeddedEngines,
  owner?: string,
): Promise<{ id: string; target: WebhookTarget }> => {
  const { id } = await embedded.recordCompletedRender(
    async (renderId) =>
      ({
        kind: 'webhook',
        estimatedMs: 1,
        ...(await sealTarget({ blobs: embedded.engines.blobs, secrets }, owner ?? renderId, {
          url,
          method: 'POST',
          headers,
        })),
      }) satisfies ResponseMode,
  );
  const [requested] = await embedded.engines.store.read(streams.render(id));
  return { id, target: (requested!.data as { responseMode: WebhookTarget }).responseMode };
};

const isTargetStored = (embedded: EmbeddedEngines, { sealed }: WebhookTarget): Promise<boolean> =>
  embedded.engines.blobs.has(sealed!.sha256);
const lastEvent = async (embedded: EmbeddedEngines, id: string) =>
  (await embedded.engines.store.read(streams.delivery(id))).at(-1)!;

describe('The sealed target of a webhook', () => {
  test('is opened at every attempt and in any process, and erased after the delivery', async () => {
    const embedded = await openEmbeddedEngines();
    const { id, target } = await recordCompleted(embedded);
    expect(JSON.stringify(await embedded.engines.store.read(streams.render(id)))).not.toMatch(
      /k9Q2z7X1|p4M8w6Y3|r5T1v3N0/,
    );
    const failing = deliveryServiceOn(embedded, () => responded(500));
    await failing.deliver(id);
    expect(await isTargetStored(embedded, target)).toBe(true);
    embedded.advanceClock(5_000);
    const healthy = deliveryServiceOn(embedded, () => responded(200));
    await healthy.deliver(id);
    for (const [call] of [failing.calls, healthy.calls])
      expect(call).toMatchObject({ url, method: 'POST', headers: { authorization: 'Bearer r5T1v3N0' } });
    expect(await isTargetStored(embedded, target)).toBe(false);
    expect(await lastEvent(embedded, id)).toMatchObject({
      type: 'WebhookTargetErased',
      data: { sha256: target.sealed!.sha256 },
    });
  });

  test('is erased when the delivery has failed', async () => {
    const embedded = await openEmbeddedEngines();
    const { id, target } = await recordCompleted(embedded);
    await deliveryServiceOn(embedded, () => responded(404)).deliver(id);
    expect(await isTargetStored(embedded, target)).toBe(false);
  });

  test('is erased once by the sweeper when a crash prevented it at the end of the delivery', async () => {
    const embedded = await openEmbeddedEngines();
    const { id, target } = await recordCompleted(embedded);
    const { blobs, reads } = embedded.engines;
    const crashing = deliveryServiceOn(
      {
        ...embedded,
        engines: {
          ...embedded.engines,
          blobs: { ...blobs, delete: () => Promise.reject(new Error('the process ended')) },
        },
      },
      () => responded(200),
    );
    await expect(crashing.deliver(id)).rejects.toThrow('the process ended');
    await embedded.catchUpReadModels();
    embedded.advanceClock(1);
    await eraseDeliveryTargets({ eventLog: embedded.eventLog, reads, blobs });
    expect(await isTargetStored(embedded, target)).toBe(false);
    await embedded.catchUpReadModels();
    expect(await reads.get(readModels.deliveries, id)).toMatchObject({ status: 'delivered', erasableSince: null });
    const { position } = await lastEvent(embedded, id);
    await eraseDeliveryTargets({ eventLog: embedded.eventLog, reads, blobs });
    expect((await lastEvent(embedded, id)).position).toBe(position);
  });

  test('is not erased by the sweeper during the delivery', async () => {
    const embedded = await openEmbeddedEngines();
    const { id, target } = await recordCompleted(embedded);
    await deliveryServiceOn(embedded, () => responded(500)).deliver(id);
    await embedded.catchUpReadModels();
    embedded.advanceClock(60_000);
    await eraseDeliveryTargets({
      eventLog: embedded.eventLog,
      reads: embedded.engines.reads,
      blobs: embedded.engines.blobs,
    });
    expect(await isTargetStored(embedded, target)).toBe(true);
  });

  test.each([[64 * 1024], [0]])(
    'of a redelivery is not left behind by an append that fails (%i)',
    async (maxAppendedBytes) => {
      const embedded = await openEmbeddedEngines();
      const { id } = await recordCompleted(embedded);
      await deliveryServiceOn(embedded, () => responded(404)).deliver(id);
      const { eventLog, engines, cause } = embedded;
      const blobs = { ...engines.blobs, maxAppendedBytes };
      let box = '';
      const append: EventStore['append'] = async (stream, events, ...rest) => {
        if (events[0]!.type !== 'RedeliveryRequested') return eventLog.store.append(stream, events, ...rest);
        box = (events[0]!.data as unknown as { target: WebhookTarget }).target.sealed!.sha256;
        throw new EventTooLarge('RedeliveryRequested', 70_000);
      };
      const failing = { ...eventLog, store: { ...eventLog.store, append } };
      const given = { webhook_url: url, webhook_headers: headers };
      await expect(redeliver({ eventLog: failing, blobs, secrets }, id, given, cause)).rejects.toThrow(EventTooLarge);
      expect(await blobs.has(box)).toBe(false);
      await redeliver({ eventLog, blobs, secrets }, id, given, cause);
      const healthy = deliveryServiceOn(embedded, () => responded(200));
      await healthy.deliver(id);
      expect(healthy.calls[0]).toMatchObject({ url, headers: { authorization: 'Bearer r5T1v3N0' } });
    },
  );

  test('opens with a previous secret that is still configured, and without it the attempt fails with the reason', async () => {
    const embedded = await openEmbeddedEngines();
    const [render, otherRender] = [await recordCompleted(embedded), await recordCompleted(embedded)];
    const rotated = deliveryServiceOn(embedded, () => responded(200), { current: second, previous: [first] });
    await rotated.deliver(render.id);
    expect(rotated.calls[0]!.url).toBe(url);
    const withoutSecret = deliveryServiceOn(embedded, () => responded(200), { current: second, previous: [] });
    await withoutSecret.deliver(otherRender.id);
    expect(withoutSecret.calls).toEqual([]);
    expect((await lastEvent(embedded, otherRender.id)).data).toMatchObject({
      outcome: {
        kind: 'failed',
        reason: expect.stringContaining('an installation secret that is no longer configured'),
      },
    });
  });

  test('does not open when it was sealed for another render', async () => {
    const embedded = await openEmbeddedEngines();
    const { id } = await recordCompleted(embedded, '01JQZX3C5V8Y2N6T4R7W9K0MHB');
    const service = deliveryServiceOn(embedded, () => responded(200));
    await service.deliver(id);
    expect(service.calls).toEqual([]);
    expect((await lastEvent(embedded, id)).data).toMatchObject({
      outcome: { kind: 'failed', reason: expect.stringContaining('damaged or belongs to another owner') },
    });
  });
});

test('A webhook whose sealed target is missing waits, fails after an hour, and does not make the blob store unready', async () => {
  const embedded = await openEmbeddedEngines();
  const { id, target } = await recordCompleted(embedded);
  await embedded.engines.blobs.delete(target.sealed!.sha256);
  const unreadable = createUnreadableBlobs();
  const dependencies = {
    eventLog: embedded.eventLog,
    blobs: unreadable.wrap(embedded.engines.blobs),
    reads: embedded.engines.reads,
    secrets,
    attemptSchedule: createAttemptSchedule(),
    baseUrl: 'https://pdf.example',
    connections: freeConnections,
    egress: { sendWebhook: () => Promise.reject(new Error('called')) },
  };
  await expect(deliverWebhook(dependencies, id)).rejects.toThrow(BlobNotFound);
  expect(await embedded.eventTypesIn(streams.delivery(id))).toEqual(['DeliveryRequested']);
  expect(unreadable.missing()).toEqual([]);
  await deliverWebhook(dependencies, id, 1_000);
  expect((await lastEvent(embedded, id)).data).toMatchObject({
    outcome: { kind: 'failed', reason: 'The service has lost the content of the callback.' },
  });
});

test('A recorded response does not contain the headers and the URL of the webhook', async () => {
  const embedded = await openEmbeddedEngines();
  const { id } = await recordCompleted(embedded);
  await deliveryServiceOn(embedded, (call) =>
    responded(401, `no: ${JSON.stringify(call.headers)} ${call.url}`),
  ).deliver(id);
  const { history } = await loadAggregate(embedded.eventLog, delivery, streams.delivery(id));
  expect(JSON.stringify(history)).toContain('no: {');
  expect(JSON.stringify(history)).not.toMatch(/k9Q2z7X1|p4M8w6Y3|r5T1v3N0/);
});

import { describe, expect, test } from 'vitest';
import type { ResponseMode, WebhookTarget } from '#contracts/events/render.ts';
import { readModels, streams } from '#contracts/names.ts';
import { BlobNotFound } from '#libs/blob-store/port.ts';
import { createUnreadableBlobs } from '#libs/blob-store/unreadable-blobs.ts';
import { delivery } from '#libs/domain/delivery.ts';
import type { WebhookRequest, WebhookResult } from '#libs/egress/egress.ts';
import { loadAggregate } from '#application/command-handling/aggregate.ts';
import type { InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import { sealTarget } from '#application/deliveries/target.ts';
import { deliverWebhook, createAttemptSchedule } from '#application/deliveries/deliver-webhook.ts';
import { eraseDeliveryTargets } from '../../services/sweeper/erase.ts';
import { openEmbeddedEngines, type EmbeddedEngines } from '../support/api/embedded-engines.ts';

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const secrets: InstallationSecrets = { current: first, previous: [] };
const url = 'https://example.com/in/k9Q2z7X1?key=p4M8w6Y3';
const headers = { Authorization: 'Bearer r5T1v3N0' };

const answered = (status: number, body = ''): WebhookResult => ({ kind: 'responded', status, body, durationMs: 1 });

const serviceOn = (
  { eventLog: log, clock, engines: { blobs, reads } }: EmbeddedEngines,
  answer: (call: WebhookRequest) => WebhookResult,
  with_ = secrets,
) => {
  const calls: WebhookRequest[] = [];
  const request = async (call: WebhookRequest) => {
    calls.push(call);
    return answer(call);
  };
  const dueTimes = createAttemptSchedule(() => clock.uptimeMs);
  return {
    calls,
    deliver: (id: string) =>
      deliverWebhook(
        {
          eventLog: log,
          blobs,
          reads,
          secrets: with_,
          attemptSchedule: dueTimes,
          baseUrl: 'https://pdf.example',
          egress: { sendWebhook: request },
        },
        id,
      ),
  };
};

/** A render that has ended, whose callback has secrets, sealed for this render or for the one of the name. */
const completed = async (stage: EmbeddedEngines, owner?: string): Promise<{ id: string; target: WebhookTarget }> => {
  const { id } = await stage.recordCompletedRender(
    async (own) =>
      ({
        kind: 'webhook',
        estimatedMs: 1,
        ...(await sealTarget({ blobs: stage.engines.blobs, secrets }, owner ?? own, { url, method: 'POST', headers })),
      }) satisfies ResponseMode,
  );
  const [requested] = await stage.engines.store.read(streams.render(id));
  return { id, target: (requested!.data as { responseMode: WebhookTarget }).responseMode };
};

const hasBox = (stage: EmbeddedEngines, { sealed }: WebhookTarget): Promise<boolean> =>
  stage.engines.blobs.has(sealed!.sha256);
const lastOf = async (stage: EmbeddedEngines, id: string) =>
  (await stage.engines.store.read(streams.delivery(id))).at(-1)!;

describe('The sealed box of a callback', () => {
  test('is opened for the receiver alone, at every attempt and in any process, and erased when the callback has arrived', async () => {
    const stage = await openEmbeddedEngines();
    const { id, target } = await completed(stage);
    expect(JSON.stringify(await stage.engines.store.read(streams.render(id)))).not.toMatch(
      /k9Q2z7X1|p4M8w6Y3|r5T1v3N0/,
    );
    const failing = serviceOn(stage, () => answered(500));
    await failing.deliver(id);
    expect(await hasBox(stage, target)).toBe(true);
    stage.advanceClock(5_000);
    const healthy = serviceOn(stage, () => answered(200));
    await healthy.deliver(id);
    for (const [call] of [failing.calls, healthy.calls])
      expect(call).toMatchObject({ url, method: 'POST', headers: { authorization: 'Bearer r5T1v3N0' } });
    expect(await hasBox(stage, target)).toBe(false);
    expect(await lastOf(stage, id)).toMatchObject({
      type: 'WebhookTargetErased',
      data: { sha256: target.sealed!.sha256 },
    });
  });

  test('is erased when the callback has failed for good', async () => {
    const stage = await openEmbeddedEngines();
    const { id, target } = await completed(stage);
    await serviceOn(stage, () => answered(404)).deliver(id);
    expect(await hasBox(stage, target)).toBe(false);
  });

  test('that a crash left after the end is erased by the sweeper, once', async () => {
    const stage = await openEmbeddedEngines();
    const { id, target } = await completed(stage);
    const { blobs, reads } = stage.engines;
    const crashing = serviceOn(
      {
        ...stage,
        engines: {
          ...stage.engines,
          blobs: { ...blobs, delete: () => Promise.reject(new Error('the process ended')) },
        },
      },
      () => answered(200),
    );
    await expect(crashing.deliver(id)).rejects.toThrow('the process ended');
    await stage.catchUpReadModels();
    stage.advanceClock(1);
    await eraseDeliveryTargets({ eventLog: stage.eventLog, reads, blobs });
    expect(await hasBox(stage, target)).toBe(false);
    await stage.catchUpReadModels();
    expect(await reads.get(readModels.deliveries, id)).toMatchObject({ status: 'delivered', erasableSince: null });
    const { position } = await lastOf(stage, id);
    await eraseDeliveryTargets({ eventLog: stage.eventLog, reads, blobs });
    expect((await lastOf(stage, id)).position).toBe(position);
  });

  test('is left alone by the sweeper while the callback is under way', async () => {
    const stage = await openEmbeddedEngines();
    const { id, target } = await completed(stage);
    await serviceOn(stage, () => answered(500)).deliver(id);
    await stage.catchUpReadModels();
    stage.advanceClock(60_000);
    await eraseDeliveryTargets({ eventLog: stage.eventLog, reads: stage.engines.reads, blobs: stage.engines.blobs });
    expect(await hasBox(stage, target)).toBe(true);
  });

  test('opens with a former secret of the installation that is still configured; without it nothing is sent, and the attempt says why', async () => {
    const stage = await openEmbeddedEngines();
    const [one, other] = [await completed(stage), await completed(stage)];
    const rotated = serviceOn(stage, () => answered(200), { current: second, previous: [first] });
    await rotated.deliver(one.id);
    expect(rotated.calls[0]!.url).toBe(url);
    const forgetful = serviceOn(stage, () => answered(200), { current: second, previous: [] });
    await forgetful.deliver(other.id);
    expect(forgetful.calls).toEqual([]);
    expect((await lastOf(stage, other.id)).data).toMatchObject({
      outcome: {
        kind: 'failed',
        reason: expect.stringContaining('an installation secret that is no longer configured'),
      },
    });
  });

  test('of another render does not open', async () => {
    const stage = await openEmbeddedEngines();
    const { id } = await completed(stage, '01JQZX3C5V8Y2N6T4R7W9K0MHB');
    const service = serviceOn(stage, () => answered(200));
    await service.deliver(id);
    expect(service.calls).toEqual([]);
    expect((await lastOf(stage, id)).data).toMatchObject({
      outcome: { kind: 'failed', reason: expect.stringContaining('damaged or belongs to another owner') },
    });
  });
});

test('A sealed box that is not there makes the callback wait, fail after an hour, and tells nothing of the store', async () => {
  const stage = await openEmbeddedEngines();
  const { id, target } = await completed(stage);
  await stage.engines.blobs.delete(target.sealed!.sha256);
  const unreadable = createUnreadableBlobs();
  const parts = {
    eventLog: stage.eventLog,
    blobs: unreadable.wrap(stage.engines.blobs),
    reads: stage.engines.reads,
    secrets,
    attemptSchedule: createAttemptSchedule(),
    baseUrl: 'https://pdf.example',
    egress: { sendWebhook: () => Promise.reject(new Error('called')) },
  };
  await expect(deliverWebhook(parts, id)).rejects.toThrow(BlobNotFound);
  expect(await stage.eventTypesIn(streams.delivery(id))).toEqual(['DeliveryRequested']);
  expect(unreadable.missing()).toEqual([]);
  await deliverWebhook(parts, id, 1_000);
  expect((await lastOf(stage, id)).data).toMatchObject({
    outcome: { kind: 'failed', reason: 'The service has lost what it was to send.' },
  });
});

test('What a receiver sends back of the headers and the address is not recorded', async () => {
  const stage = await openEmbeddedEngines();
  const { id } = await completed(stage);
  await serviceOn(stage, (call) => answered(401, `no: ${JSON.stringify(call.headers)} ${call.url}`)).deliver(id);
  const { history } = await loadAggregate(stage.eventLog, delivery, streams.delivery(id));
  expect(JSON.stringify(history)).toContain('no: {');
  expect(JSON.stringify(history)).not.toMatch(/k9Q2z7X1|p4M8w6Y3|r5T1v3N0/);
});

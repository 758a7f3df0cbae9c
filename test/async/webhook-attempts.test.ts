import { describe, expect, test } from 'vitest';
import { streams, subjects } from '#contracts/names.ts';
import { delivery } from '#libs/domain/delivery.ts';
import { loadAggregate } from '#application/command-handling/aggregate.ts';
import { deliverWebhook } from '#application/deliveries/deliver-webhook.ts';
import { roundsOf } from '#application/deliveries/delivery-history.ts';
import { defaultLimits } from '#libs/egress/limits.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import { openMemoryBus } from '#libs/bus/memory.ts';
import type { WebhookRequest, WebhookResult } from '#libs/egress/egress.ts';
import { runDeliveryWorker } from '../../services/delivery/delivery.ts';
import { openEmbeddedEngines, webhookResponseMode } from '../support/api/embedded-engines.ts';
import { deliveryServiceOn, responded, timedOut } from '../support/webhooks/delivery-service.ts';

const dayMs = 24 * 60 * 60 * 1000;

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
    const { calls, deliver } = deliveryServiceOn(embedded, () => responded(200));
    // It may still run in another process.
    expect(await deliver(id)).toEqual({ kind: 'retry', delayMs: 15_000 });
    expect(calls).toEqual([]);
    embedded.advanceClock(15_000);
    expect(await deliver(id)).toEqual({ kind: 'done' });
    const { history } = await loadAggregate(embedded.eventLog, delivery, streams.delivery(id));
    expect(history.map(({ type }) => type)).toEqual([
      'DeliveryRequested',
      'WebhookAttemptStarted',
      'WebhookAttemptStarted',
      'WebhookAttempted',
      'WebhookDelivered',
    ]);
    expect(history.at(-1)!.data).toEqual({ round: 1, attempt: 1 });
    const [round] = roundsOf(history, () => null as never);
    expect(
      round!.attempts.map(({ started_at, error, response }) => [started_at, error?.kind, response?.status]),
    ).toEqual([
      ['2026-03-02T09:00:00.000Z', 'failed', undefined],
      ['2026-03-02T09:00:15.000Z', undefined, 200],
    ]);
  });

  test('is not disturbed by a worker that was stopped for longer than an attempt takes', async () => {
    const embedded = await openEmbeddedEngines();
    const { id } = await embedded.recordCompletedRender();
    const [late, answer] = [Promise.withResolvers<WebhookResult>(), Promise.withResolvers<WebhookResult>()];
    const stopped = deliveryServiceOn(embedded, () => late.promise);
    const delivered = stopped.deliver(id);
    await expect.poll(() => stopped.calls.length).toBe(1);
    const other = deliveryServiceOn(embedded, (nth) => (nth === 1 ? responded(500) : answer.promise));
    await other.deliver(id);
    embedded.advanceClock(15_000);
    expect(await other.deliver(id)).toEqual({ kind: 'retry', delayMs: 5_000 });
    embedded.advanceClock(5_000);
    const deliveredByOther = other.deliver(id);
    await expect.poll(() => other.calls.length).toBe(2);
    late.resolve(timedOut);
    expect(await delivered).toMatchObject({ kind: 'retry' });
    answer.resolve(responded(200));
    expect(await deliveredByOther).toEqual({ kind: 'done' });
    const { history } = await loadAggregate(embedded.eventLog, delivery, streams.delivery(id));
    const outcomes = history.flatMap(({ data }) =>
      'outcome' in data && data.outcome.kind === 'responded' ? [[data.attempt, data.outcome.status]] : [],
    );
    expect(outcomes).toEqual([
      [1, 500],
      [2, 200],
    ]);
    expect(await stopped.deliver(id)).toEqual({ kind: 'done' });
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
      data: { lastError: 'The service has lost the content of the callback.' },
    });
    expect(calls).toEqual([]);
    expect(await deliver(id, 102)).toEqual({ kind: 'done' });
  });
});

test('An attempt records its request and the response, without signatures and cookies', async () => {
  const embedded = await openEmbeddedEngines();
  const { id } = await embedded.recordCompletedRender();
  await deliveryServiceOn(embedded, () => responded(200)).deliver(id);
  const attempted = (await embedded.engines.store.read(streams.delivery(id))).find(
    ({ type }) => type === 'WebhookAttempted',
  );
  expect(attempted!.data).toEqual({
    round: 1,
    attempt: 1,
    request: {
      headers: {
        'user-agent': 'Colophon',
        'content-type': 'application/json',
        'x-service-signature': '***',
        'x-service-signature-all': '***',
        'webhook-id': `msg_${id}`,
        'webhook-timestamp': String(Date.parse('2026-03-02T09:00:00Z') / 1000),
        'webhook-signature': '***',
      },
    },
    outcome: {
      kind: 'responded',
      status: 200,
      headers: { 'content-type': 'text/plain', 'set-cookie': '***' },
      responseBody: 'x'.repeat(2048),
    },
    endpoint: 'example.com/hook',
    durationMs: 3,
    nextAttemptAt: null,
  });
});

test('An attempt whose start took long to record is not sent, because another worker may repeat it', async () => {
  const embedded = await openEmbeddedEngines();
  const { eventLog, advanceClock } = embedded;
  const { id } = await embedded.recordCompletedRender();
  const { calls, dependencies } = deliveryServiceOn(embedded, () => responded(200));
  const append: EventStore['append'] = async (stream, events, ...rest) => {
    const appended = await eventLog.store.append(stream, events, ...rest);
    if (events.some(({ type }) => type === 'WebhookAttemptStarted')) advanceClock(6_000);
    return appended;
  };
  const slow = { ...dependencies, eventLog: { ...eventLog, store: { ...eventLog.store, append } } };
  expect(await deliverWebhook(slow, id)).toEqual({ kind: 'retry', delayMs: 9_000 });
  expect(calls).toEqual([]);
  advanceClock(9_000);
  expect(await deliverWebhook(dependencies, id)).toEqual({ kind: 'done' });
  expect(calls).toHaveLength(1);
});

test('Signatures that a receiver repeats are masked', async () => {
  const embedded = await openEmbeddedEngines();
  const { id } = await embedded.recordCompletedRender();
  const echo = (_: number, { headers }: WebhookRequest): WebhookResult => ({
    kind: 'responded',
    status: 200,
    durationMs: 1,
    headers: { 'x-echo': headers['webhook-signature']! },
    body: `${JSON.stringify(headers)} ${headers['webhook-signature']!.slice('v1,'.length)}`,
  });
  const { calls, deliver } = deliveryServiceOn(embedded, echo);
  await deliver(id);
  const { headers } = calls[0]!;
  const events = JSON.stringify(await embedded.engines.store.read(streams.delivery(id)));
  expect(events).toContain(headers['webhook-id']);
  const signatures = ['x-service-signature', 'x-service-signature-all', 'webhook-signature'].map(
    (name) => headers[name]!,
  );
  for (const signature of [...signatures, signatures[2]!.slice('v1,'.length)]) expect(events).not.toContain(signature);
});

test('An attempt starts when its account has a free connection to the receiver, and not while the worker stops', async () => {
  const embedded = await openEmbeddedEngines();
  const maxConnections = defaultLimits.maxConnectionsPerHost;
  const ids: string[] = [];
  for (let n = 0; n < maxConnections + 2; n += 1) ids.push((await embedded.recordCompletedRender()).id);
  const toOther = await embedded.recordCompletedRender({ ...webhookResponseMode, url: 'https://other.example/hook' });
  const [first, answers] = [Promise.withResolvers<WebhookResult>(), Promise.withResolvers<WebhookResult>()];
  const { calls, dependencies } = deliveryServiceOn(embedded, (nth) => (nth === 1 ? first : answers).promise);
  const bus = openMemoryBus();
  const stop = new AbortController();
  const reported: unknown[] = [];
  const running = runDeliveryWorker(dependencies, bus, (fields) => void reported.push(fields), stop.signal);
  for (const id of ids) await bus.publish({ subject: subjects.deliveryDue, id, data: { id } });
  const requested = async (): Promise<string[][]> =>
    (await Promise.all(ids.map((id) => embedded.eventTypesIn(streams.delivery(id))))).filter(
      ({ length }) => length > 0,
    );
  await expect.poll(async () => [calls.length, (await requested()).length]).toEqual([maxConnections, ids.length]);
  // Another receiver has connections of its own.
  await bus.publish({ subject: subjects.deliveryDue, id: toOther.id, data: { id: toOther.id } });
  await expect.poll(() => calls.at(-1)!.url).toBe('https://other.example/hook');
  first.resolve(responded(200));
  await expect.poll(() => calls.length).toBe(maxConnections + 2);
  stop.abort();
  answers.resolve(responded(200));
  await running;
  await bus.close();
  expect((await requested()).filter(({ length }) => length === 1)).toEqual([['DeliveryRequested']]);
  expect([calls.length, reported]).toEqual([maxConnections + 2, []]);
});

test('A redelivery is a new round of three attempts after the first round has ended', async () => {
  const embedded = await openEmbeddedEngines();
  const { id } = await embedded.recordCompletedRender();
  const { calls, deliver } = deliveryServiceOn(embedded, (nth) => (nth === 1 ? responded(404) : timedOut));
  await deliver(id);
  const { aggregate } = await loadAggregate(embedded.eventLog, delivery, streams.delivery(id));
  await aggregate.execute({ type: 'redeliver', target: null, startsAt: null }, embedded.cause);
  for (const waitMs of [5_000, 30_000, 0]) {
    await deliver(id);
    embedded.advanceClock(waitMs);
  }
  expect(calls).toHaveLength(4);
  expect((await embedded.eventTypesIn(streams.delivery(id))).at(-1)).toBe('WebhookFailed');
});

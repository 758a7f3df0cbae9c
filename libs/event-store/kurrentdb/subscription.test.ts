import { PassThrough } from 'node:stream';
import type { AllStreamSubscription, Position } from '@kurrent/kurrentdb-client';
import { expect, it } from 'vitest';
import { toKurrentDbEvent } from '#libs/event-store/kurrentdb/event-conversion.ts';
import { subscribeWithRetry, type OpenServerSubscription } from '#libs/event-store/kurrentdb/subscription.ts';
import { newEvents, eventIds } from '../../../test/support/contract/new-events.ts';

const driverPositionAt = (index: number): Position => ({
  commit: BigInt(1_000 * (index + 1)),
  prepare: BigInt(1_000 * (index + 1)),
});
const resolvedEvents = (count: number) =>
  newEvents(count).map((event, index) => ({
    id: event.id,
    resolved: {
      event: {
        ...toKurrentDbEvent(event),
        streamId: 'render-1',
        revision: BigInt(index),
        position: driverPositionAt(index),
      },
    },
  }));
type ResolvedEvents = ReturnType<typeof resolvedEvents>;

/** Subscriptions that emit these events, then a checkpoint, and then fail. `positions` records where each starts. */
const scriptedSubscriptions =
  (positions: bigint[], ...scripts: { events: ResolvedEvents; checkpoint?: Position }[]): OpenServerSubscription =>
  async (after) => {
    positions.push(after.commit);
    const { events, checkpoint } = scripts.shift() ?? { events: [] };
    const stream = new PassThrough({ objectMode: true, highWaterMark: 256 });
    for (const { resolved } of events) stream.write(resolved);
    setImmediate(() => stream.emit('error', new Error('connection lost')));
    return {
      stream: stream as unknown as AllStreamSubscription,
      checkpoint: () => checkpoint ?? null,
      close: () => stream.destroy(),
    };
  };

const collectIds = async (subscribe: OpenServerSubscription, count: number): Promise<string[]> => {
  const enough = new AbortController();
  const got: string[] = [];
  for await (const batch of subscribeWithRetry(subscribe, 0, enough.signal, {
    minRetryDelayMs: 1,
    maxRetryDelayMs: 2,
  })) {
    got.push(...eventIds(batch));
    if (got.length >= count) enough.abort();
  }
  return got;
};

it('A subscriber gets each event once, even if the server repeats events after a lost connection', async () => {
  const stored = resolvedEvents(4);
  const subscribe = scriptedSubscriptions(
    [],
    { events: stored.slice(0, 3) },
    { events: stored.slice(1, 3) },
    { events: stored.slice(2) },
  );
  expect(await collectIds(subscribe, 4)).toEqual(stored.map(({ id }) => id));
});

it('A new subscription starts at the last checkpoint only after all earlier events were read', async () => {
  const stored = resolvedEvents(301);
  const positions: bigint[] = [];
  const subscribe = scriptedSubscriptions(
    positions,
    { events: stored.slice(0, 300), checkpoint: driverPositionAt(500) },
    { events: stored.slice(300) },
  );
  const enough = new AbortController();
  for await (const batch of subscribeWithRetry(subscribe, 0, enough.signal, {
    minRetryDelayMs: 1,
    maxRetryDelayMs: 2,
  })) {
    if (batch.at(-1)!.id === stored.at(300)!.id) enough.abort();
  }
  expect(positions).toEqual([0n, driverPositionAt(500).commit]);
});

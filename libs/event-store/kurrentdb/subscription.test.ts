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

/** Subscriptions that tell of these events one after the other, then of a checkpoint, and break off. `asked` is where each begins. */
const scriptedSubscriptions =
  (asked: bigint[], ...tellings: { events: ResolvedEvents; checkpoint?: Position }[]): OpenServerSubscription =>
  async (after) => {
    asked.push(after.commit);
    const { events, checkpoint } = tellings.shift() ?? { events: [] };
    const stream = new PassThrough({ objectMode: true, highWaterMark: 256 });
    for (const { resolved } of events) stream.write(resolved);
    setImmediate(() => stream.emit('error', new Error('broken off')));
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

it('a subscriber gets once what a server tells again after a break', async () => {
  const stored = resolvedEvents(4);
  const subscribe = scriptedSubscriptions(
    [],
    { events: stored.slice(0, 3) },
    { events: stored.slice(1, 3) },
    { events: stored.slice(2) },
  );
  expect(await collectIds(subscribe, 4)).toEqual(stored.map(({ id }) => id));
});

it('a subscription begins at the checkpoint of the one before only where all that came before it was taken', async () => {
  const stored = resolvedEvents(301);
  const asked: bigint[] = [];
  const subscribe = scriptedSubscriptions(
    asked,
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
  expect(asked).toEqual([0n, driverPositionAt(500).commit]);
});

import { PassThrough } from 'node:stream';
import type { AllStreamSubscription, Position } from '@kurrent/kurrentdb-client';
import { expect, it } from 'vitest';
import { toKurrent } from '#libs/event-store/kurrentdb/records.ts';
import { follow, type Subscribe } from '#libs/event-store/kurrentdb/subscription.ts';
import { eventsOf, idsOf } from '../contract/event-store/events.ts';

const positionOf = (index: number): Position => ({ commit: BigInt(1_000 * (index + 1)), prepare: BigInt(1_000 * (index + 1)) });
const resolvedOf = (count: number) =>
  eventsOf(count).map((event, index) => ({ id: event.id, resolved: { event: { ...toKurrent(event), streamId: 'render-1', revision: BigInt(index), position: positionOf(index) } } }));
type Resolved = ReturnType<typeof resolvedOf>;

/** Subscriptions that tell of these events one after the other, then of a checkpoint, and break off. `asked` is where each begins. */
const subscriptionsOver = (asked: bigint[], ...tellings: { events: Resolved; checkpoint?: Position }[]): Subscribe => async (after) => {
  asked.push(after.commit);
  const { events, checkpoint } = tellings.shift() ?? { events: [] };
  const stream = new PassThrough({ objectMode: true, highWaterMark: 256 });
  for (const { resolved } of events) stream.write(resolved);
  setImmediate(() => stream.emit('error', new Error('broken off')));
  return { stream: stream as unknown as AllStreamSubscription, checkpoint: () => checkpoint ?? null, close: () => stream.destroy() };
};

const followed = async (subscribe: Subscribe, count: number): Promise<string[]> => {
  const enough = new AbortController();
  const got: string[] = [];
  for await (const batch of follow(subscribe, 0, enough.signal, { firstPauseMs: 1, longestPauseMs: 2 })) {
    got.push(...idsOf(batch));
    if (got.length >= count) enough.abort();
  }
  return got;
};

it('a subscriber gets once what a server tells again after a break', async () => {
  const stored = resolvedOf(4);
  const subscribe = subscriptionsOver([], { events: stored.slice(0, 3) }, { events: stored.slice(1, 3) }, { events: stored.slice(2) });
  expect(await followed(subscribe, 4)).toEqual(stored.map(({ id }) => id));
});

it('a subscription begins at the checkpoint of the one before only where all that came before it was taken', async () => {
  const stored = resolvedOf(301);
  const asked: bigint[] = [];
  const subscribe = subscriptionsOver(asked, { events: stored.slice(0, 300), checkpoint: positionOf(500) }, { events: stored.slice(300) });
  const enough = new AbortController();
  for await (const batch of follow(subscribe, 0, enough.signal, { firstPauseMs: 1, longestPauseMs: 2 })) {
    if (batch.at(-1)!.id === stored.at(300)!.id) enough.abort();
  }
  expect(asked).toEqual([0n, positionOf(500).commit]);
});

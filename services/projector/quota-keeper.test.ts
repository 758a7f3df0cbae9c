import { describe, expect, it } from 'vitest';
import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';
import type { Limits, LogFact } from '#libs/limits/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { runQuotaKeeper } from './quota-keeper.ts';

const requested = (position: number): RecordedEvent =>
  ({ type: 'RenderRequested', stream: `render-${position}`, position, data: { accountId: 'a', keyType: 'live', trial: false }, metadata: { accountId: 'a' } }) as unknown as RecordedEvent;

/** What is noted, and what the limits learn, where these batches of the log come. */
const keep = async (batches: readonly RecordedEvent[][]) => {
  const noted: number[] = [];
  const learnt: LogFact[] = [];
  const store = {
    subscribe: async function* () {
      yield* batches;
    },
  } as unknown as EventStore;
  const reads = { checkpoint: async () => noted.at(-1) ?? 0, apply: async (_: string, _from: number, to: number) => noted.push(to) > 0 } as unknown as ReadStore;
  const limits = { learn: async (facts: readonly LogFact[]) => void learnt.push(...facts) } as unknown as Limits;
  await runQuotaKeeper({ store, reads, limits }, new AbortController().signal);
  return { noted, learnt };
};

describe('The keeper of the quota', () => {
  it('notes how far it has come after a thousand events, however far apart their positions are', async () => {
    const many = Array.from({ length: 999 }, (_, number) => requested(number + 2));
    const { noted, learnt } = await keep([[requested(1)], many, [requested(1_001)]]);
    expect(noted).toEqual([1_000]);
    expect(learnt).toHaveLength(1_001);
    expect((await keep([[requested(10_000)], [requested(5_000_000)]])).noted).toEqual([]);
  });
});

import { expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { RenderOutcome } from '#libs/limits/port.ts';
import { openLimitsCorrection } from './correct-limits.ts';

const now = () => new Date(0);

it('A counted render that is not in the event log after 20 s is taken off the counters, and so again if that failed', async () => {
  const outcomes: RenderOutcome[] = [];
  let uptimeMs = 0;
  const limits = {
    correctCounters: async (outcomeOf: (id: string) => Promise<RenderOutcome>) =>
      void outcomes.push(await outcomeOf('lost')),
  };
  const eventLog = { store: { read: async () => [] }, now };
  const correct = openLimitsCorrection({ eventLog, limits }, () => uptimeMs);
  for (uptimeMs of [0, 19_999, 20_000, 20_001]) await correct();
  expect(outcomes).toEqual(['pending', 'pending', 'never', 'never']);
});

it('A lost render is noticed after 20 s, even if a round in between fails before it asks for the render', async () => {
  const rounds: (RenderOutcome | 'failed')[] = [];
  let [uptimeMs, isFailing] = [0, false];
  const limits = {
    correctCounters: async (outcomeOf: (id: string) => Promise<RenderOutcome>) => {
      if (isFailing) throw new Error('unavailable');
      rounds.push(await outcomeOf('lost'));
    },
  };
  const correct = openLimitsCorrection({ eventLog: { store: { read: async () => [] }, now }, limits }, () => uptimeMs);
  for ([uptimeMs, isFailing] of [
    [0, false],
    [10_000, true],
    [20_000, false],
  ] as const)
    await correct().catch(() => rounds.push('failed'));
  expect(rounds).toEqual(['pending', 'failed', 'never']);
});

it('For the position of a render only the first event of its stream is read', async () => {
  const outcomes: RenderOutcome[] = [];
  const events = [{ position: 7 }, { position: 8 }] as RecordedEvent[];
  const reads: RecordedEvent[][] = [];
  const read = async (_stream: string, from = 0, limit = Infinity) => {
    reads.push(events.slice(from, limit));
    return reads.at(-1)!;
  };
  const limits = {
    correctCounters: async (outcomeOf: (id: string) => Promise<RenderOutcome>) =>
      void outcomes.push(await outcomeOf('accepted')),
  };
  await openLimitsCorrection({ eventLog: { store: { read }, now }, limits })();
  expect(outcomes).toEqual([7]);
  expect(reads).toEqual([[events[0]]]);
});

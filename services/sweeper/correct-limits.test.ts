import { expect, it } from 'vitest';
import type { RenderOutcome } from '#libs/limits/port.ts';
import { openLimitsCorrection } from './correct-limits.ts';

it('A counted render that is not in the event log after 20 s is taken off the counters, and so again if that failed', async () => {
  const outcomes: RenderOutcome[] = [];
  let uptimeMs = 0;
  const limits = {
    correctCounters: async (outcomeOf: (id: string) => Promise<RenderOutcome>) =>
      void outcomes.push(await outcomeOf('lost')),
  };
  const eventLog = { store: { read: async () => [] }, now: () => new Date(0) };
  const correct = openLimitsCorrection({ eventLog, limits }, () => uptimeMs);
  for (uptimeMs of [0, 19_999, 20_000, 20_001]) await correct();
  expect(outcomes).toEqual(['pending', 'pending', 'never', 'never']);
});

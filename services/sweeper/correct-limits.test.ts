import { expect, it } from 'vitest';
import type { RenderOutcome } from '#libs/limits/port.ts';
import { openLimitsCorrection } from './correct-limits.ts';

it('A render that is not in the log is given up after 20 s, and at once again where that came to nothing', async () => {
  const fates: RenderOutcome[] = [];
  let uptimeMs = 0;
  const limits = {
    correctCounters: async (fateOf: (id: string) => Promise<RenderOutcome>) => void fates.push(await fateOf('lost')),
  };
  const log = { store: { read: async () => [] }, now: () => new Date(0) };
  const correct = openLimitsCorrection({ eventLog: log, limits }, () => uptimeMs);
  for (uptimeMs of [0, 19_999, 20_000, 20_001]) await correct();
  expect(fates).toEqual(['pending', 'pending', 'never', 'never']);
});

import { expect, it } from 'vitest';
import type { ProcessContext } from './process-context.ts';
import { watchReadModels } from './read-models-watch.ts';

it('A process is not ready while read models that were emptied are rebuilt', async () => {
  const stored = { position: 7, checks: 0 };
  const reads = {
    missing: () => null,
    servingGenerations: async (models: readonly string[]) => {
      stored.checks += 1;
      return models.map(() => ({ generation: '', position: stored.position }));
    },
    waitForCheckpoint: async () => (stored.position = 7) === 7,
  };
  const engines = { reads: async () => reads, store: async () => ({ head: async () => 7 }) };
  const context = { engines, roles: ['api'], report: () => undefined } as unknown as ProcessContext;
  const stop = new AbortController();
  const seen: boolean[] = [];
  const watching = watchReadModels(context, (areReady) => seen.push(areReady), stop.signal, 1);
  await expect.poll(() => stored.checks).toBeGreaterThan(2);
  expect(seen).toEqual([]);
  stored.position = 0;
  await expect.poll(() => seen).toEqual([false, true]);
  stop.abort();
  await watching;
});

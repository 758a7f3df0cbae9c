import { expect, it } from 'vitest';
import { openMemoryLimits } from '#libs/limits/memory.ts';
import type { Usage } from '#libs/limits/port.ts';
import { describeLimitsContract } from './limits.contract.ts';
import { newRenderToCount, createUsageModel, readQuotaUsed } from '../support/contract/limits-under-test.ts';

describeLimitsContract('Memory', async (usage) => {
  const engine = openMemoryLimits(usage);
  return { engine, close: () => engine.close() };
});

it('Limits in memory use the newest usage, in whatever order the reads resolve', async () => {
  const usageReads: PromiseWithResolvers<Usage>[] = [];
  const usageOf = () => {
    usageReads.push(Promise.withResolvers<Usage>());
    return usageReads.at(-1)!.promise;
  };
  const engine = openMemoryLimits({ ...createUsageModel().reader, usageOf });
  const render = newRenderToCount('a', null);
  await engine.countRender(render);
  await engine.confirmOrReleaseRender(render, 7);
  const reads = [readQuotaUsed(engine, 'a'), readQuotaUsed(engine, 'a')];
  await expect.poll(() => usageReads.length).toBe(2);
  usageReads[1]!.resolve({ used: 1, lastPosition: 7 });
  expect(await reads[1]).toBe(1);
  usageReads[0]!.resolve({ used: 0, lastPosition: 0 });
  expect(await reads[0]).toBe(1);
});

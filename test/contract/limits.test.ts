import { expect, it } from 'vitest';
import { openMemoryLimits } from '#libs/limits/memory.ts';
import type { Usage } from '#libs/limits/port.ts';
import { describeLimitsContract } from './limits.contract.ts';
import { newRenderToCount, createUsageModel, readQuotaUsed } from '../support/contract/limits-under-test.ts';

describeLimitsContract('Memory', async (usage) => {
  const engine = openMemoryLimits(usage);
  return { engine, close: () => engine.close() };
});

it('Limits in memory go by the latest usage, in whichever order the answers come', async () => {
  const asked: PromiseWithResolvers<Usage>[] = [];
  const of = () => {
    asked.push(Promise.withResolvers<Usage>());
    return asked.at(-1)!.promise;
  };
  const engine = openMemoryLimits({ ...createUsageModel().reader, usageOf: of });
  const render = newRenderToCount('a', null);
  await engine.countRender(render);
  await engine.confirmOrReleaseRender(render, 7);
  const looks = [readQuotaUsed(engine, 'a'), readQuotaUsed(engine, 'a')];
  await expect.poll(() => asked.length).toBe(2);
  asked[1]!.resolve({ used: 1, lastPosition: 7 });
  expect(await looks[1]).toBe(1);
  asked[0]!.resolve({ used: 0, lastPosition: 0 });
  expect(await looks[0]).toBe(1);
});

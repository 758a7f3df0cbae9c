import { openMemoryLimits } from '#libs/limits/memory.ts';
import { describeLimitsContract } from './limits.contract.ts';

describeLimitsContract('Memory', async (usage) => {
  const engine = openMemoryLimits(usage);
  return { engine, close: () => engine.close() };
});

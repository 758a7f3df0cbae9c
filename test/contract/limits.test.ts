import { describe, expect, it } from 'vitest';
import { openMemoryLimits } from '#libs/limits/memory.ts';
import { describeLimitsContract } from './limits.contract.ts';

describeLimitsContract('Memory', async (rendersSoFar) => ({ engine: openMemoryLimits(rendersSoFar), close: async () => undefined }));

describe('limits in memory', () => {
  const now = new Date('2026-05-20T12:00:00.000Z');

  it('ask the log once for an account and month', async () => {
    const asked: string[] = [];
    const limits = openMemoryLimits(async (account, month) => asked.push(`${account} ${month}`));
    await Promise.all(Array.from({ length: 10 }, () => limits.takeRender('a', 100, now)));
    await limits.renders('a', 100, now);
    await limits.giveBackRender('a', now);
    expect(asked).toEqual(['a 2026-05']);
  });

  it('ask the log again after it could not answer', async () => {
    const answers = [Promise.reject(new Error('the log is away')), Promise.resolve(4)];
    const limits = openMemoryLimits(() => answers.shift()!);
    await expect(limits.takeRender('a', 5, now)).rejects.toThrow('the log is away');
    expect(await limits.takeRender('a', 5, now)).toMatchObject({ allowed: true, used: 5 });
  });
});

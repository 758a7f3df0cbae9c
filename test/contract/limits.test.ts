import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openMemoryLimits } from '#libs/limits/memory.ts';
import type { MonthInLog, ReadMonth } from '#libs/limits/port.ts';
import { openSqliteLimits } from '#libs/limits/sqlite.ts';
import { openedIn } from './folder.ts';
import { describeLimitsContract } from './limits.contract.ts';

const openSqlite = (readMonth: ReadMonth) => openedIn((folder) => openSqliteLimits(join(folder, 'limits.db'), readMonth));
const openMemory = async (readMonth: ReadMonth) => {
  const engine = openMemoryLimits(readMonth);
  return { engine, close: () => engine.close() };
};

describeLimitsContract('Memory', openMemory);
describeLimitsContract('SQLite', openSqlite);

describe.each([['Memory', openMemory], ['SQLite', openSqlite]] as const)('limits in %s', (_, open) => {
  const now = new Date('2026-05-20T12:00:00.000Z');
  const render = (number: number) => ({ id: `r${number}`, accountId: 'a' });

  it('go on from one count of the log for an account and month', async () => {
    const inLog: MonthInLog[] = [4, 40, 400].map((used) => ({ used, through: 1 }));
    const { engine, close } = await open(async () => inLog.shift()!);
    await Promise.all([1, 2, 3].map((number) => engine.takeRender(render(number), 100, now)));
    expect((await engine.renders('a', 100, now)).used).toBe(7);
    await close();
  });

  it('ask the log again after it could not answer', async () => {
    const answers = [() => Promise.reject(new Error('the log is away')), () => Promise.resolve({ used: 4, through: 1 })];
    const { engine, close } = await open(() => answers.shift()!());
    await expect(engine.takeRender(render(1), 5, now)).rejects.toThrow('the log is away');
    expect(await engine.takeRender(render(2), 5, now)).toMatchObject({ allowed: true, used: 5 });
    await close();
  });
});

import { join } from 'node:path';
import { openMemoryLimits } from '#libs/limits/memory.ts';
import type { ReadMonth } from '#libs/limits/port.ts';
import { openSqliteLimits } from '#libs/limits/sqlite.ts';
import { openedIn } from './folder.ts';
import { describeLimitsContract } from './limits.contract.ts';
import { describeMonthsFromLog } from './limits/months-from-log.ts';

const openSqlite = (readMonth: ReadMonth) => openedIn((folder) => openSqliteLimits(join(folder, 'limits.db'), readMonth));
const openMemory = async (readMonth: ReadMonth) => {
  const engine = openMemoryLimits(readMonth);
  return { engine, close: () => engine.close() };
};

describeLimitsContract('Memory', openMemory);
describeLimitsContract('SQLite', openSqlite);

describeMonthsFromLog('Memory', openMemory, true);
describeMonthsFromLog('SQLite', openSqlite);

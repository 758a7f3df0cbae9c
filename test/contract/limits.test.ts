import { join } from 'node:path';
import type { ReadMonth } from '#libs/limits/port.ts';
import { openSqliteLimits } from '#libs/limits/sqlite.ts';
import { openedIn } from './folder.ts';
import { describeLimitsContract } from './limits.contract.ts';
import { describeMonthsFromLog } from './limits/months-from-log.ts';

const openSqlite = (readMonth: ReadMonth) => openedIn((folder) => openSqliteLimits(join(folder, 'limits.db'), readMonth));

describeLimitsContract('SQLite', openSqlite);

describeMonthsFromLog('SQLite', openSqlite);

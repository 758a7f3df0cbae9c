import { describe } from 'vitest';
import type { ReadMonth } from '#libs/limits/port.ts';
import { openMongoLimits } from '#libs/limits/mongodb.ts';
import { ferretDbForFile, openedOn } from '../ferretdb/opened.ts';
import { isFerretDbThere } from '../ferretdb/server.ts';
import { describeLimitsContract } from './limits.contract.ts';
import { describeMonthsFromLog } from './limits/months-from-log.ts';

describe.runIf(isFerretDbThere)('with a MongoDB-compatible server', () => {
  const at = ferretDbForFile();
  const open = (readMonth: ReadMonth) => openedOn(at.server, (url) => openMongoLimits(url, readMonth));
  describeLimitsContract('MongoDB', open);
  describeMonthsFromLog('MongoDB', open);
});

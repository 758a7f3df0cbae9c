import { describe } from 'vitest';
import { openMongoLimits } from '#libs/limits/mongodb.ts';
import { ferretDbForFile, openedOn } from '../ferretdb/opened.ts';
import { isFerretDbThere } from '../ferretdb/server.ts';
import { describeLimitsContract } from './limits.contract.ts';

describe.runIf(isFerretDbThere)('with a MongoDB-compatible server', () => {
  const at = ferretDbForFile();
  describeLimitsContract('MongoDB', (usage) => openedOn(at.server, (url) => openMongoLimits(url, usage)));
});

import { describe } from 'vitest';
import { openMongoReadStore } from '#libs/read-store/mongodb.ts';
import { ferretDbForFile, openedOn } from '../ferretdb/opened.ts';
import { isFerretDbThere } from '../ferretdb/server.ts';
import { describeReadStoreContract } from './read-store.contract.ts';

describe.runIf(isFerretDbThere)('with a MongoDB-compatible server', () => {
  const at = ferretDbForFile();
  describeReadStoreContract('MongoDB', (wanted) => openedOn(at.server, (url) => openMongoReadStore(url, wanted)));
});

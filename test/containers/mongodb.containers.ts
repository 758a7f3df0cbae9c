import { MongoDBContainer, type StartedMongoDBContainer } from '@testcontainers/mongodb';
import { afterAll, beforeAll, describe } from 'vitest';
import { openGridFsBlobStore } from '#libs/blob-store/gridfs.ts';
import { openMongoLimits } from '#libs/limits/mongodb.ts';
import { openMongoReadStore } from '#libs/read-store/mongodb.ts';
import { describeBlobStoreContract } from '../contract/blob-store.contract.ts';
import { describeLimitsContract } from '../contract/limits.contract.ts';
import { describeReadStoreContract } from '../contract/read-store.contract.ts';
import { openedOn } from '../ferretdb/opened.ts';
import { images, isDockerThere } from './docker.ts';

describe.skipIf(!isDockerThere)('with a real server', () => {
  let container: StartedMongoDBContainer;
  beforeAll(async () => {
    if (isDockerThere) container = await new MongoDBContainer(images.mongodb).start();
  });
  afterAll(() => container?.stop());
  const server = { url: (database: string): string => `${container.getConnectionString().replace(/\/$/, '')}/${database}?directConnection=true` };

  describeReadStoreContract('MongoDB', (wanted) => openedOn(server, (url) => openMongoReadStore(url, wanted)));
  describeBlobStoreContract('GridFS', () => openedOn(server, (url) => openGridFsBlobStore(url)));
  describeLimitsContract('MongoDB', (usage) => openedOn(server, (url) => openMongoLimits(url, usage)));
});

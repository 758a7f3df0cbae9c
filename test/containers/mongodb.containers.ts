import { MongoDBContainer, type StartedMongoDBContainer } from '@testcontainers/mongodb';
import { afterAll, beforeAll, describe } from 'vitest';
import { openGridFsBlobStore } from '#libs/blob-store/gridfs.ts';
import { openMongoLimits } from '#libs/limits/mongodb.ts';
import { openMongoReadStore } from '#libs/read-store/mongodb.ts';
import { describeBlobStoreContract } from '../contract/blob-store.contract.ts';
import { describeLimitsContract } from '../contract/limits.contract.ts';
import { describeReadStoreContract } from '../contract/read-store.contract.ts';
import { openEngineOn } from '../support/ferretdb/engines.ts';
import { serverImages, isDockerAvailable } from '../support/containers/docker.ts';

describe.skipIf(!isDockerAvailable)('with a real server', () => {
  let container: StartedMongoDBContainer;
  beforeAll(async () => {
    if (isDockerAvailable) container = await new MongoDBContainer(serverImages.mongodb).start();
  });
  afterAll(() => container?.stop());
  const server = {
    url: (database: string): string =>
      `${container.getConnectionString().replace(/\/$/, '')}/${database}?directConnection=true`,
  };

  describeReadStoreContract('MongoDB', (wanted) => openEngineOn(server, (url) => openMongoReadStore(url, wanted)));
  describeBlobStoreContract('GridFS', () => openEngineOn(server, (url) => openGridFsBlobStore(url)));
  describeLimitsContract('MongoDB', (usage) => openEngineOn(server, (url) => openMongoLimits(url, usage)));
});

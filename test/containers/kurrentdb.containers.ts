import { KurrentDbContainer } from '@testcontainers/kurrentdb';
import { describe } from 'vitest';
import { describeEventStoreContract } from '../contract/event-store.contract.ts';
import { openEventStoreUnderTest } from '../support/kurrentdb/event-store-under-test.ts';
import { serverImages, isDockerAvailable } from '../support/containers/docker.ts';

describe.skipIf(!isDockerAvailable)('with a real server', () => {
  // A server has only one event log, so each case gets its own server.
  describeEventStoreContract('KurrentDB', async () => {
    const server = await new KurrentDbContainer(serverImages.kurrentdb)
      .withEnvironment({ KURRENTDB_MEM_DB: 'true' })
      .start();
    return openEventStoreUnderTest(server.getConnectionString(), () => server.stop());
  });
});

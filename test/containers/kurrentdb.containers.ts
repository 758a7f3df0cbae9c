import { KurrentDbContainer } from '@testcontainers/kurrentdb';
import { describe } from 'vitest';
import { openKurrentDbEventStore } from '#libs/event-store/kurrentdb.ts';
import { describeEventStoreContract } from '../contract/event-store.contract.ts';
import { serverImages, isDockerAvailable } from '../support/containers/docker.ts';

describe.skipIf(!isDockerAvailable)('with a real server', () => {
  // A server has only one event log, so each case gets its own server.
  const open = async () => {
    const server = await new KurrentDbContainer(serverImages.kurrentdb)
      .withEnvironment({ KURRENTDB_MEM_DB: 'true' })
      .start();
    const url = server.getConnectionString();
    const all = [openKurrentDbEventStore(url)];
    return {
      engine: all[0]!,
      reopen: async () => {
        await all.at(-1)!.close();
        all.push(openKurrentDbEventStore(url));
        return all.at(-1)!;
      },
      engineModule: { module: '#libs/event-store/kurrentdb.ts', name: 'openKurrentDbEventStore', args: [url] },
      close: async () => {
        await Promise.all(all.map((engine) => engine.close()));
        await server.stop();
      },
    };
  };
  describeEventStoreContract('KurrentDB', open);
});

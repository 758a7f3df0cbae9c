import { openKurrentDbEventStore } from '#libs/event-store/kurrentdb.ts';
import { openFakeEventLog } from '../support/kurrentdb/fake-event-log.ts';
import { startFakeKurrentDb } from '../support/kurrentdb/server.ts';
import { describeEventStoreContract } from './event-store.contract.ts';

const open = async () => {
  const server = await startFakeKurrentDb({ eventLog: openFakeEventLog() });
  const url = `kurrentdb://127.0.0.1:${server.endpoint.port}?tls=false`;
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

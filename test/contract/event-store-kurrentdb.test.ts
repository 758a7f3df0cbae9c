import { openEventStoreUnderTest } from '../support/kurrentdb/event-store-under-test.ts';
import { openStandInEventLog } from '../support/kurrentdb/stand-in-event-log.ts';
import { startKurrentDbStandIn } from '../support/kurrentdb/server.ts';
import { describeEventStoreContract } from './event-store.contract.ts';

// `openEventStoreUnderTest` opens event logs with `openKurrentDbEventStore()`, so the contract applies to that.
describeEventStoreContract('KurrentDB', async () => {
  const server = await startKurrentDbStandIn({ eventLog: openStandInEventLog() });
  return openEventStoreUnderTest(`kurrentdb://127.0.0.1:${server.endpoint.port}?tls=false`, () => server.stop());
});

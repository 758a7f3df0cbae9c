import { afterAll, beforeAll, describe } from 'vitest';
import { openBusUnderTest } from '../support/nats/bus-under-test.ts';
import { isNatsAvailable, type NatsServer, startNatsServer } from '../support/nats/server.ts';
import { describeBusContract } from './bus.contract.ts';
import { installationIdCases } from './installation-id.ts';

// `openBusUnderTest` opens what `openJetStreamBus()` returns, so the contract applies to that.
describe.skipIf(!isNatsAvailable)('with a server', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterAll(() => server.remove());

  describeBusContract('JetStream', async () => openBusUnderTest(server.url), installationIdCases);
});

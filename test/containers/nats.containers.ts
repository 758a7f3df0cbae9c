import { NatsContainer, type StartedNatsContainer } from '@testcontainers/nats';
import { afterAll, beforeAll, describe } from 'vitest';
import { describeBusContract } from '../contract/bus.contract.ts';
import { openBusUnderTest } from '../support/nats/bus-under-test.ts';
import { serverImages, isDockerAvailable } from '../support/containers/docker.ts';

describe.skipIf(!isDockerAvailable)('with a real server', () => {
  let server: StartedNatsContainer;
  beforeAll(async () => {
    if (isDockerAvailable) server = await new NatsContainer(serverImages.nats).withJetStream().start();
  });
  afterAll(() => server?.stop());

  describeBusContract('JetStream', async () => {
    const { user, pass, servers } = server.getConnectionOptions();
    return openBusUnderTest(`nats://${user}:${pass}@${String(servers).replace(/^nats:\/\//, '')}`);
  });
});

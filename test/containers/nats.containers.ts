import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { NatsContainer, type StartedNatsContainer } from '@testcontainers/nats';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Bus } from '#libs/bus/port.ts';
import { describeBusContract } from '../contract/bus.contract.ts';
import { openTimeScaledBus, scaledMs } from '../support/nats/time-scaled-bus.ts';
import { serverImages, isDockerAvailable } from '../support/containers/docker.ts';

const deduplicationMs = 15_000;
/** The server removes ids a little later than configured. */
const tidyingMs = 300;

describe.skipIf(!isDockerAvailable)('with a real server', () => {
  let server: StartedNatsContainer;
  beforeAll(async () => {
    if (isDockerAvailable) server = await new NatsContainer(serverImages.nats).withJetStream().start();
  });
  afterAll(() => server?.stop());

  const open = async () => {
    const { user, pass, servers } = server.getConnectionOptions();
    const url = `nats://${user}:${pass}@${String(servers).replace(/^nats:\/\//, '')}`;
    const args = [url, `test-${randomUUID()}`, deduplicationMs] as const;
    const all: Bus[] = [openTimeScaledBus(...args)];
    const closeAll = async (): Promise<void> => {
      for (const bus of all) await bus.close();
    };
    return {
      engine: all[0]!,
      engineModule: { module: '../nats/time-scaled-bus.ts', name: 'openTimeScaledBus', args },
      reopen: async (): Promise<Bus> => {
        await closeAll();
        const again = openTimeScaledBus(...args);
        all.push(again);
        return again;
      },
      advance: (ms: number) => sleep(scaledMs(ms) + (ms > deduplicationMs ? tidyingMs : 1)),
      deduplicationMs,
      close: closeAll,
    };
  };
  describeBusContract('JetStream', open);
});

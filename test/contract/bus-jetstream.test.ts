import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe } from 'vitest';
import type { DurableBus } from '#libs/bus/port.ts';
import { isNatsAvailable, type NatsServer, startNatsServer } from '../support/nats/server.ts';
import { openTimeScaledBus, scaledMs } from '../support/nats/time-scaled-bus.ts';
import { describeBusContract } from './bus.contract.ts';
import { installationIdCases } from './installation-id.ts';

const deduplicationMs = 15_000;
/** The server removes ids a little later than configured. */
const tidyingMs = 300;

// `openShortenedBus` calls `openJetStreamBus()`, so the contract applies to that.
describe.skipIf(!isNatsAvailable)('with a server', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterAll(() => server.remove());

  const open = async () => {
    const prefix = `test-${randomUUID()}`;
    const args = [server.url, prefix, deduplicationMs] as const;
    const all: DurableBus[] = [openTimeScaledBus(...args)];
    const closeAll = async (): Promise<void> => {
      for (const bus of all) await bus.close();
    };
    return {
      engine: all[0]!,
      engineModule: { module: '../nats/time-scaled-bus.ts', name: 'openTimeScaledBus', args },
      reopen: async (): Promise<DurableBus> => {
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

  describeBusContract('JetStream', open, installationIdCases);
});

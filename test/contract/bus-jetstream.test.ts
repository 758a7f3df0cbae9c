import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, vi } from 'vitest';
import type { StoredBus } from '#libs/bus/port.ts';
import { isNatsThere, type NatsServer, startNats } from '../nats/server.ts';
import { openShortenedBus, shortened } from '../nats/time-lapse.ts';
import { describeBusContract } from './bus.contract.ts';
import { marking } from './marking.ts';

vi.setConfig({ testTimeout: 120_000 });

const deduplicationMs = 15_000;
/** The server forgets ids a little after their time. */
const tidyingMs = 300;

// Through `openShortenedBus`, this is `openJetStreamBus()` that is held to the rules.
describe.skipIf(!isNatsThere)('with a server', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server.remove());

  const open = async () => {
    const prefix = `test-${randomUUID()}`;
    const args = [server.url, prefix, deduplicationMs] as const;
    const all: StoredBus[] = [openShortenedBus(...args)];
    const closeAll = async (): Promise<void> => {
      for (const bus of all) await bus.close();
    };
    return {
      engine: all[0]!,
      elsewhere: { module: '../nats/time-lapse.ts', name: 'openShortenedBus', args },
      reopen: async (): Promise<StoredBus> => {
        await closeAll();
        const again = openShortenedBus(...args);
        all.push(again);
        return again;
      },
      advance: (ms: number) => sleep(shortened(ms) + (ms > deduplicationMs ? tidyingMs : 1)),
      deduplicationMs,
      close: closeAll,
    };
  };

  describeBusContract('JetStream', open, marking);
});

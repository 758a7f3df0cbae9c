import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DurableBus } from '#libs/bus/port.ts';
import { openTimeScaledBus, scaledMs } from './time-scaled-bus.ts';

const deduplicationMs = 15_000;
/** The server removes ids a little later than configured. */
const tidyingMs = 300;

/** A bus of its own on the server, for its contract. */
export const openBusUnderTest = (url: string) => {
  const args = [url, `test-${randomUUID()}`, deduplicationMs] as const;
  const all: DurableBus[] = [openTimeScaledBus(...args)];
  const close = async (): Promise<void> => {
    for (const bus of all) await bus.close();
  };
  return {
    engine: all[0]!,
    engineModule: { module: '../nats/time-scaled-bus.ts', name: 'openTimeScaledBus', args },
    reopen: async (): Promise<DurableBus> => {
      await close();
      const again = openTimeScaledBus(...args);
      all.push(again);
      return again;
    },
    advance: (ms: number) => sleep(scaledMs(ms) + (ms > deduplicationMs ? tidyingMs : 1)),
    deduplicationMs,
    close,
  };
};

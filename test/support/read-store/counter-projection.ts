import type { RecordedEvent } from '#libs/event-store/port.ts';
import { openProjectionRunner } from '#libs/projections/catch-up.ts';
import type { Projection } from '#libs/projections/projection.ts';
import type { Collection, ReadStore } from '#libs/read-store/port.ts';

export const counterModel = 'counters';
export const counterCollections: readonly Collection[] = [{ name: 'counters', model: counterModel, indexes: [['n']] }];

type Counter = { n: number; filling: string };
const grown = (counter: Counter | null): Counter => ({ n: (counter?.n ?? 0) + 1, filling: 'x'.repeat(500) });
const count = (id: string) => ({ collection: 'counters', id, evolve: grown as never });

/** Each event increases 40 counters. A counter equals its position unless an event was lost or counted twice. */
const counters: Projection<Counter> = {
  model: counterModel,
  collection: counterCollections[0]!,
  handlers: {
    AccountReinstated: () => ({
      id: 'counter 0',
      evolve: grown,
      additionalEffects: () => Array.from({ length: 39 }, (_, n) => count(`counter ${n + 1}`)),
    }),
  },
};

/** Projects the next event of an endless event log. */
export const projectNextEvent = async (reads: ReadStore): Promise<void> => {
  const projecting = await openProjectionRunner(reads, [counters]);
  const after = projecting.position();
  await projecting.advance(after, [{ type: 'AccountReinstated', position: after + 1 } as unknown as RecordedEvent]);
};

/** The different values of the counters. */
export const readCounters = async (
  reads: ReadStore,
): Promise<{ position: number; values: unknown[]; found: number }> => {
  const documents = await reads.find('counters', { where: {}, limit: 1_000 });
  return {
    position: await reads.checkpoint(counterModel),
    values: [...new Set(documents.map(({ n }) => n))],
    found: documents.length,
  };
};

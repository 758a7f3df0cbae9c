import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { NewEvent } from '#libs/event-store/port.ts';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';

export type AppendFigures = { callers: number; appends: number; perSecond: number; p50Ms: number; p99Ms: number };

const typicalEvent = (): NewEvent => ({
  id: randomUUID(),
  type: 'RenderStarted',
  version: 1,
  data: { attempt: 1, worker: `renderer-1 ${'x'.repeat(300)}`, queueMs: 1 },
  metadata: {
    occurredAt: new Date().toISOString(),
    actor: { kind: 'service', name: 'renderer' },
    accountId: null,
    correlationId: randomUUID(),
    causationId: null,
    traceparent: null,
  },
});

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

/**
 * Durable single-event appends to the embedded event store, each to a new stream. `callers` append concurrently, each one
 * event after the other. Times in milliseconds, until the append is durable.
 */
export const benchAppends = async (callers: number, appends: number): Promise<AppendFigures> => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-event-store-'));
  const store = openSqliteEventStore(join(folder, 'log.db'));
  const times: number[] = [];
  let left = appends;
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const start = performance.now();
      await store.append(`render-${randomUUID()}`, [typicalEvent()], -1);
      times.push(performance.now() - start);
    }
  };
  try {
    await store.append('render-first', [typicalEvent()], -1);
    const start = performance.now();
    await Promise.all(Array.from({ length: callers }, caller));
    const seconds = (performance.now() - start) / 1000;
    const sorted = times.toSorted((a, b) => a - b);
    return {
      callers,
      appends,
      perSecond: Math.round(appends / seconds),
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
    };
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
};

if (import.meta.main) {
  for (const callers of [1, 16, 256, 1024])
    console.log(JSON.stringify(await benchAppends(callers, callers === 1 ? 500 : 40_000)));
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { ReadStore, ServingGeneration } from '#libs/read-store/port.ts';
import { openSqliteReadStore } from '#libs/read-store/sqlite.ts';
import { keyRenders, type KeyRendersDocument } from './key-renders.ts';
import { createBatchProjector } from './batch-projector.ts';
import { collectionsOf } from './projection.ts';
import { renders } from './renders.ts';
import { emptyReadModel } from './testing/empty-read-model.ts';
import { usage, type UsageDocument, usageIdOf } from './usage.ts';

type RenderHistory = {
  account: string;
  key: string;
  keyType: 'live' | 'test';
  templateTest: boolean;
  at: Date;
  end: 'open' | 'done' | 'failed' | 'service error' | 'service error, refund by month';
  daysLater: number;
};

const renderHistory: fc.Arbitrary<RenderHistory> = fc.record({
  account: fc.constantFrom('a', 'b'),
  key: fc.constantFrom('k', 'l'),
  keyType: fc.constantFrom('live', 'live', 'test'),
  templateTest: fc.boolean(),
  at: fc.date({
    min: new Date('2026-12-29T00:00:00.000Z'),
    max: new Date('2027-01-03T00:00:00.000Z'),
    noInvalidDate: true,
  }),
  end: fc.constantFrom('open', 'done', 'failed', 'service error', 'service error, refund by month'),
  daysLater: fc.integer({ min: 0, max: 3 }),
});

const counts = ({ keyType, templateTest }: RenderHistory): boolean => keyType === 'live' && !templateTest;
const isRefunded = (history: RenderHistory): boolean => counts(history) && history.end.startsWith('service error');

type EventWithoutPosition = Omit<RecordedEvent, 'position' | 'type' | 'data'> & { type: string; data: unknown };

const eventsOf = (history: RenderHistory, index: number): EventWithoutPosition[] => {
  const event = (type: string, at: Date, data: unknown, revision: number) => ({
    id: `${index}-${revision}`,
    stream: `render-${index}`,
    revision,
    type,
    version: 1,
    data,
    metadata: {
      occurredAt: at.toISOString(),
      actor: { kind: 'service', name: 'tests' } as const,
      accountId: history.account,
      correlationId: '',
      causationId: null,
      traceparent: null,
    },
  });
  const requested = event(
    'RenderRequested',
    history.at,
    {
      accountId: history.account,
      keyId: history.key,
      keyType: history.keyType,
      templateTest: history.templateTest,
      options: {},
      source: { mode: 'CONVERT', inputType: 'html' },
      responseMode: { kind: 'poll' },
    },
    0,
  );
  const later = new Date(history.at.getTime() + history.daysLater * 86_400_000);
  const quotaRefundDate = isRefunded(history)
    ? history.at.toISOString().slice(0, history.end === 'service error' ? 10 : 7)
    : null;
  switch (history.end) {
    case 'open':
      return [requested];
    case 'done':
      return [
        requested,
        event(
          'RenderCompleted',
          later,
          { pdf: null, pages: 1, durations: { totalMs: 1 }, keptUntil: null, warnings: [] },
          1,
        ),
      ];
    default:
      return [
        requested,
        event(
          'RenderFailed',
          later,
          { error: { name: 'internal_error', message: 'no' }, totalMs: 1, quotaRefundDate },
          1,
        ),
      ];
  }
};

/** An event log of all histories, in any order that keeps the order within each history. */
const eventLogOf = (histories: readonly RenderHistory[], order: readonly number[]): RecordedEvent[] => {
  const remaining = histories.map(eventsOf);
  const eventLog: EventWithoutPosition[] = [];
  for (const number of order) {
    const open = remaining.filter((events) => events.length > 0);
    if (open.length > 0) eventLog.push(open[number % open.length]!.shift()!);
  }
  return [...eventLog, ...remaining.flat()].map((event, index) => ({ ...event, position: index + 1 }) as RecordedEvent);
};

const months = ['2026-12', '2027-01'];
let folder: string;
let reads: ReadStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-projections-'));
  reads = openSqliteReadStore(
    join(folder, 'reads.db'),
    [usage, renders].flatMap((projection) => collectionsOf(projection)),
  );
});
afterAll(async () => {
  await reads.close();
  await rm(folder, { recursive: true });
});

/** Projects the event log in overlapping batches, as two parallel projectors do. */
const projectAll = async (eventLog: readonly RecordedEvent[], batch: number): Promise<void> => {
  for (const projection of [usage, renders]) {
    await emptyReadModel(reads, projection.model);
    const [{ generation }] = (await reads.servingGenerations([projection.model])) as [ServingGeneration];
    for (let from = 0; from < eventLog.length; from += batch) {
      const position = Math.max(0, from - batch);
      await createBatchProjector(reads)([{ projection, generation, position }], eventLog.slice(position, from + batch));
    }
  }
};

const readUsage = async (account: string, month: string) =>
  (await reads.get(usage.collection.name, usageIdOf(account, month))) as UsageDocument | null;
const readKeyRenders = async (key: string, month: string) =>
  (await reads.get(keyRenders.name, `${key}/${month}`)) as KeyRendersDocument | null;

describe('The usage of an account', () => {
  it('equals a count over the event log, for any order and batch size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(renderHistory, { maxLength: 40 }),
        fc.array(fc.nat({ max: 100 }), { maxLength: 80 }),
        fc.integer({ min: 1, max: 100 }),
        async (histories, order, batch) => {
          await projectAll(eventLogOf(histories, order), batch);
          for (const account of ['a', 'b']) {
            for (const month of months) {
              const own = histories.filter(
                (one) => one.account === account && one.at.toISOString().startsWith(month) && counts(one),
              );
              const notRefunded = own.filter((one) => !isRefunded(one));
              const found = await readUsage(account, month);
              expect(found?.used ?? 0).toBe(notRefunded.length);
              const withDay = own.filter((one) => one.end !== 'service error');
              const expected = Map.groupBy(withDay, (one) => one.at.toISOString().slice(0, 10));
              for (const [day, number] of Object.entries(found?.byDay ?? {}))
                expect([day, number]).toEqual([day, expected.get(day)?.length ?? 0]);
              for (const day of expected.keys()) expect(found!.byDay).toHaveProperty([day]);
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is the same after a rebuild', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(renderHistory, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        async (histories, batch) => {
          const eventLog = eventLogOf(histories, []);
          const readAll = async () =>
            Promise.all(
              [usage, renders]
                .flatMap((one) => collectionsOf(one))
                .map(({ name }) => reads.find(name, { where: {}, limit: 1_000 })),
            );
          await projectAll(eventLog, batch);
          const first = await readAll();
          await projectAll(eventLog, eventLog.length);
          expect(await readAll()).toEqual(first);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe('The renders of an API key', () => {
  it('equal a count over the event log, by month of acceptance and result', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(renderHistory, { maxLength: 40 }),
        fc.array(fc.nat({ max: 100 }), { maxLength: 80 }),
        fc.integer({ min: 1, max: 100 }),
        async (histories, order, batch) => {
          await projectAll(eventLogOf(histories, order), batch);
          for (const key of ['k', 'l']) {
            for (const month of months) {
              const own = histories.filter((one) => one.key === key && one.at.toISOString().startsWith(month));
              const found = await readKeyRenders(key, month);
              if (own.length === 0) expect(found).toBeNull();
              else {
                expect(found).toMatchObject({
                  renders: own.length,
                  succeeded: own.filter(({ end }) => end === 'done').length,
                  failed: own.filter(({ end }) => end === 'failed' || end.startsWith('service error')).length,
                  quotaUsed: own.filter((one) => counts(one) && !isRefunded(one)).length,
                });
              }
            }
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

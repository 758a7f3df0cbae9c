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
import { resetReadModels } from './testing/reset-read-models.ts';
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
const isRefunded = (one: RenderHistory): boolean => counts(one) && one.end.startsWith('service error');

type EventWithoutPosition = Omit<RecordedEvent, 'position' | 'type' | 'data'> & { type: string; data: unknown };

const eventsOf = (one: RenderHistory, index: number): EventWithoutPosition[] => {
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
      accountId: one.account,
      correlationId: '',
      causationId: null,
      traceparent: null,
    },
  });
  const requested = event(
    'RenderRequested',
    one.at,
    {
      accountId: one.account,
      keyId: one.key,
      keyType: one.keyType,
      templateTest: one.templateTest,
      source: { mode: 'CONVERT', inputType: 'html' },
      responseMode: { kind: 'poll' },
    },
    0,
  );
  const later = new Date(one.at.getTime() + one.daysLater * 86_400_000);
  const quotaRefundDate = isRefunded(one) ? one.at.toISOString().slice(0, one.end === 'service error' ? 10 : 7) : null;
  switch (one.end) {
    case 'open':
      return [requested];
    case 'done':
      return [
        requested,
        event('RenderCompleted', later, { pdf: null, pages: 1, durations: { totalMs: 1 }, keptUntil: null }, 1),
      ];
    default:
      return [requested, event('RenderFailed', later, { error: {}, totalMs: 1, quotaRefundDate }, 1)];
  }
};

/** A log of all stories, their events in any order that keeps each story's own. */
const eventLogOf = (stories: readonly RenderHistory[], order: readonly number[]): RecordedEvent[] => {
  const waiting = stories.map(eventsOf);
  const log: EventWithoutPosition[] = [];
  for (const number of order) {
    const open = waiting.filter((events) => events.length > 0);
    if (open.length > 0) log.push(open[number % open.length]!.shift()!);
  }
  return [...log, ...waiting.flat()].map((event, index) => ({ ...event, position: index + 1 }) as RecordedEvent);
};

const months = ['2026-12', '2027-01'];
let folder: string;
let reads: ReadStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-projections-'));
  reads = openSqliteReadStore(
    join(folder, 'reads.db'),
    [usage, renders].flatMap((one) => collectionsOf(one)),
  );
});
afterAll(async () => {
  await reads.close();
  await rm(folder, { recursive: true });
});

/** Follows the log in batches, each of which begins with what the one before it held already, as when two follow it. */
const projectAll = async (log: readonly RecordedEvent[], batch: number): Promise<void> => {
  for (const one of [usage, renders]) {
    await resetReadModels(reads, [one]);
    const [{ generation }] = (await reads.servingGenerations([one.model])) as [ServingGeneration];
    for (let from = 0; from < log.length; from += batch) {
      const position = Math.max(0, from - batch);
      await createBatchProjector(reads)([{ projection: one, generation, position }], log.slice(position, from + batch));
    }
  }
};

const usageNow = async (account: string, month: string) =>
  (await reads.get(usage.collection.name, usageIdOf(account, month))) as UsageDocument | null;
const keyNow = async (key: string, month: string) =>
  (await reads.get(keyRenders.name, `${key}/${month}`)) as KeyRendersDocument | null;

describe('Usage', () => {
  it('is what a count over the log gives, in whatever order and batches the log is followed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(renderHistory, { maxLength: 40 }),
        fc.array(fc.nat({ max: 100 }), { maxLength: 80 }),
        fc.integer({ min: 1, max: 100 }),
        async (stories, order, batch) => {
          await projectAll(eventLogOf(stories, order), batch);
          for (const account of ['a', 'b']) {
            for (const month of months) {
              const own = stories.filter(
                (one) => one.account === account && one.at.toISOString().startsWith(month) && counts(one),
              );
              const lasting = own.filter((one) => !isRefunded(one));
              const found = await usageNow(account, month);
              expect(found?.used ?? 0).toBe(lasting.length);
              const tellsDays = own.filter((one) => one.end !== 'service error');
              const expected = Map.groupBy(tellsDays, (one) => one.at.toISOString().slice(0, 10));
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

  it('comes out the same when it is built again', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(renderHistory, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        async (stories, batch) => {
          const log = eventLogOf(stories, []);
          const everything = async () =>
            Promise.all(
              [usage, renders]
                .flatMap((one) => collectionsOf(one))
                .map(({ name }) => reads.find(name, { where: {}, limit: 1_000 })),
            );
          await projectAll(log, batch);
          const first = await everything();
          await projectAll(log, log.length);
          expect(await everything()).toEqual(first);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe('What was done with a key', () => {
  it('is what a count over the log gives: renders by the month of their acceptance, and how they ended', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(renderHistory, { maxLength: 40 }),
        fc.array(fc.nat({ max: 100 }), { maxLength: 80 }),
        fc.integer({ min: 1, max: 100 }),
        async (stories, order, batch) => {
          await projectAll(eventLogOf(stories, order), batch);
          for (const key of ['k', 'l']) {
            for (const month of months) {
              const own = stories.filter((one) => one.key === key && one.at.toISOString().startsWith(month));
              const found = await keyNow(key, month);
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

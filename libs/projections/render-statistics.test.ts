import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { ReadStore, ServingGeneration } from '#libs/read-store/port.ts';
import { openSqliteReadStore } from '#libs/read-store/sqlite.ts';
import { createBatchProjector } from './batch-projector.ts';
import { type DurationHistogram, withDuration } from './duration-histogram.ts';
import { collectionsOf } from './projection.ts';
import { renderStatistics, type RenderStatisticsDocument } from './render-statistics.ts';
import { renders } from './renders.ts';
import { emptyReadModel } from './testing/empty-read-model.ts';

type History = {
  account: string;
  caller: string;
  source: 'html' | 'csv' | 't1' | 't2';
  keyType: 'live' | 'test';
  templateTest: boolean;
  at: Date;
  end: 'open' | 'done' | 'template_render_error' | 'internal_error';
  totalMs: number;
  laterMs: number;
};

const histories = fc.array(
  fc.record({
    account: fc.constantFrom('a', 'b'),
    caller: fc.constantFrom('key k', 'key l', 'person p'),
    source: fc.constantFrom('html', 'csv', 't1', 't2'),
    keyType: fc.constantFrom('live', 'test'),
    templateTest: fc.boolean(),
    at: fc.date({ min: new Date('2026-12-30T00:00:00Z'), max: new Date('2027-01-02T00:00:00Z'), noInvalidDate: true }),
    end: fc.constantFrom('open', 'done', 'done', 'template_render_error', 'internal_error'),
    totalMs: fc.integer({ min: 0, max: 60_000 }),
    laterMs: fc.integer({ min: 0, max: 86_400_000 }),
  }) satisfies fc.Arbitrary<History>,
  { maxLength: 40 },
);

const counts = ({ keyType, templateTest }: History): boolean => keyType === 'live' && !templateTest;

const eventsOf = (history: History, index: number) => {
  const { account, caller, source, keyType, templateTest, at, end, totalMs, laterMs } = history;
  const [kind, id] = caller.split(' ');
  const isTemplate = source.startsWith('t');
  const event = (type: string, time: Date, data: object, revision: number) => ({
    id: `${index}-${revision}`,
    stream: `render-${index}`,
    type,
    revision,
    data,
    metadata: {
      occurredAt: time.toISOString(),
      accountId: account,
      actor: kind === 'person' ? { kind, id, name: 'Ada' } : { kind, id },
    },
  });
  const requested = {
    accountId: account,
    keyId: kind === 'key' ? id : null,
    keyType,
    templateTest,
    options: {},
    source: isTemplate ? { mode: 'RENDER', templateId: source } : { mode: 'CONVERT', inputType: source },
    responseMode: { kind: 'wait' },
  };
  const later = new Date(at.getTime() + laterMs);
  const durations = { totalMs };
  const completed = { pdf: { sha256: 'x', size: totalMs + 1 }, pages: 2, durations, keptUntil: null, warnings: [] };
  const refund = end === 'internal_error' && counts(history) ? at.toISOString().slice(0, 10) : null;
  const failed = { error: { name: end, message: `m${index}`, extra: {} }, totalMs, quotaRefundDate: refund };
  return [
    event('RenderRequested', at, requested, 0),
    ...(end === 'open'
      ? []
      : [event(end === 'done' ? 'RenderCompleted' : 'RenderFailed', later, end === 'done' ? completed : failed, 1)]),
  ];
};

/** All events, in any order that keeps that of each render. */
const eventLogOf = (all: readonly History[], order: readonly number[]): RecordedEvent[] => {
  const remaining = all.map(eventsOf);
  const eventLog: object[] = [];
  for (const number of order) {
    const open = remaining.filter((events) => events.length > 0);
    if (open.length > 0) eventLog.push(open[number % open.length]!.shift()!);
  }
  return [...eventLog, ...remaining.flat()].map((event, index) => ({ ...event, position: index + 1 }) as RecordedEvent);
};

type Expected = Pick<RenderStatisticsDocument, 'renders' | 'succeeded' | 'failed' | 'quotaUsed' | 'pages' | 'bytes'> & {
  errors: Record<string, number>;
  durations: DurationHistogram;
};

/** The documents by id, counted from the histories alone. */
const countAll = (all: readonly History[]): Map<string, Expected> => {
  const expected = new Map<string, Expected>();
  for (const one of all.filter(({ templateTest }) => !templateTest)) {
    const time = one.at.toISOString();
    const [kind, id] = one.caller.split(' ') as ['key' | 'person', string];
    const source = one.source.startsWith('t') ? `template/#/tpl_${one.source}` : `inputType/#/${one.source}`;
    const byDayAndMonth = [source, `key/#/${kind}_${id}`].flatMap((pattern) => [
      pattern.replace('#', time.slice(0, 10)),
      pattern.replace('#', time.slice(0, 7)),
    ]);
    for (const rest of [`total/${time.slice(0, 13)}/`, `total/${time.slice(0, 10)}/`, ...byDayAndMonth]) {
      const key = `${one.account}/${rest}`;
      const before: Expected = expected.get(key) ?? {
        renders: 0,
        succeeded: 0,
        failed: 0,
        quotaUsed: 0,
        pages: 0,
        bytes: 0,
        errors: {},
        durations: {},
      };
      const isDone = one.end === 'done';
      const isFailed = one.end !== 'done' && one.end !== 'open';
      expected.set(key, {
        renders: before.renders + 1,
        succeeded: before.succeeded + Number(isDone),
        failed: before.failed + Number(isFailed),
        quotaUsed: before.quotaUsed + Number(counts(one) && one.end !== 'internal_error'),
        pages: before.pages + (isDone ? 2 : 0),
        bytes: before.bytes + (isDone ? one.totalMs + 1 : 0),
        errors: isFailed ? { ...before.errors, [one.end]: (before.errors[one.end] ?? 0) + 1 } : before.errors,
        durations: isDone ? withDuration(before.durations, one.totalMs) : before.durations,
      });
    }
  }
  return expected;
};

let folder: string;
let reads: ReadStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-projections-'));
  reads = openSqliteReadStore(join(folder, 'reads.db'), collectionsOf(renders));
});
afterAll(async () => {
  await reads.close();
  await rm(folder, { recursive: true });
});

/** Projects in batches that overlap, as two projectors do after a crash. */
const project = async (eventLog: readonly RecordedEvent[], batch: number): Promise<RenderStatisticsDocument[]> => {
  await emptyReadModel(reads, renders.model);
  const [{ generation }] = (await reads.servingGenerations([renders.model])) as [ServingGeneration];
  for (let from = 0; from < eventLog.length; from += batch) {
    const position = Math.max(0, from - batch);
    const target = { projection: renders, generation, position };
    await createBatchProjector(reads)([target], eventLog.slice(position, from + batch));
  }
  return (await reads.find(renderStatistics.name, { where: {}, limit: 10_000 })) as RenderStatisticsDocument[];
};

describe('The statistics of renders', () => {
  it('equal a count over the renders in every dimension and period, for any order and batches', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories,
        fc.array(fc.nat({ max: 100 }), { maxLength: 80 }),
        fc.integer({ min: 1, max: 100 }),
        async (all, order, batch) => {
          const documents = await project(eventLogOf(all, order), batch);
          const expected = countAll(all);
          expect(documents.map(({ id }) => id).toSorted()).toEqual([...expected.keys()].toSorted());
          for (const document of documents) expect(document).toMatchObject(expected.get(document.id)!);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keep the last error of a template, and know the days on which it failed', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.integer({ min: 1, max: 20 }), async (all, batch) => {
        const eventLog = eventLogOf(all, []);
        for (const { id, period, failed, failedOn, lastError } of await project(eventLog, batch)) {
          const isTemplate = id.split('/')[1] === 'template';
          expect([id, lastError !== undefined, failedOn]).toEqual([
            id,
            isTemplate && failed > 0,
            isTemplate && failed > 0 && period.length === 10 ? period : undefined,
          ]);
          const failure = eventLog.find(
            ({ stream, revision }) => stream === `render-${lastError?.renderId}` && revision === 1,
          );
          if (lastError) expect(failure?.data).toMatchObject({ error: { message: lastError.message } });
        }
      }),
      { numRuns: 30 },
    );
  });
});

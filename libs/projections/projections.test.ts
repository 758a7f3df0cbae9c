import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TemplateEvent } from '#contracts/events/template.ts';
import { readModels } from '#contracts/names.ts';
import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';
import type { Document, ReadStore } from '#libs/read-store/port.ts';
import { openSqliteReadStore } from '#libs/read-store/sqlite.ts';
import { projections } from './all.ts';
import { catchUp, projectToEnd, openProjectionRunner } from './catch-up.ts';
import { collectionsOf } from './projection.ts';
import type { RenderDocument } from './renders.ts';
import { createBatchProjector } from './batch-projector.ts';
import { emptyReadModel } from './testing/empty-read-model.ts';
import { eventLogOf, generatedHistories } from './testing/histories.ts';

let folder: string;
let reads: ReadStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-projections-'));
  reads = openSqliteReadStore(join(folder, 'reads.db'), projections.flatMap(collectionsOf));
});
afterAll(async () => {
  await reads.close();
  await rm(folder, { recursive: true });
});

const eventStoreOf = (eventLog: readonly RecordedEvent[]) =>
  ({
    readAll: async (after, limit) => eventLog.filter(({ position }) => position > after).slice(0, limit),
  }) satisfies Partial<EventStore> as unknown as EventStore;
const resetAllReadModels = async (): Promise<void> => {
  for (const { model } of projections) await emptyReadModel(reads, model);
};
const documentsOf = async (name: string): Promise<Document[]> => reads.find(name, { where: {}, limit: 10_000 });
const allDocuments = async (): Promise<Record<string, Document[]>> =>
  Object.fromEntries(
    await Promise.all(
      projections.flatMap(collectionsOf).map(async ({ name }) => [name, await documentsOf(name)] as const),
    ),
  );

/** The read models after one pass over the whole event log. */
const rebuildFrom = async (eventLog: readonly RecordedEvent[]): Promise<Record<string, Document[]>> => {
  await resetAllReadModels();
  await catchUp(eventStoreOf(eventLog), reads, projections);
  return allDocuments();
};

const generatedEventLogs = fc
  .tuple(generatedHistories, fc.array(fc.nat({ max: 100 }), { maxLength: 60 }))
  .map(([histories, picks]) => eventLogOf(histories, picks));
/** Projects the event log to its end, in batches of one size. */
const projectInBatches = async (eventLog: readonly RecordedEvent[], size: number): Promise<void> => {
  const runner = await openProjectionRunner(reads, projections);
  for (let after = runner.position(); after < eventLog.length; after += size) {
    if (!(await runner.advance(after, eventLog.slice(after, after + size))))
      await projectToEnd(eventStoreOf(eventLog), runner);
  }
};
const models = projections.map(({ model }) => model);
const propertyOptions = { numRuns: 25 };

describe('The read models', () => {
  it('are the same for one pass over the event log and for batches of any size', async () => {
    await fc.assert(
      fc.asyncProperty(generatedEventLogs, fc.integer({ min: 1, max: 9 }), async (eventLog, size) => {
        const expected = await rebuildFrom(eventLog);
        await resetAllReadModels();
        await projectInBatches(eventLog, size);
        expect(await allDocuments()).toEqual(expected);
      }),
      propertyOptions,
    );
  });

  it('are the same when events are repeated, and with two parallel projectors', async () => {
    await fc.assert(
      fc.asyncProperty(
        generatedEventLogs,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        async (eventLog, size, other) => {
          const expected = await rebuildFrom(eventLog);
          // The checkpoints are behind the documents, as after a crash.
          await createBatchProjector(reads)(
            (await reads.servingGenerations(models)).map(({ generation }, index) => ({
              projection: projections[index]!,
              generation,
              position: 0,
            })),
            eventLog,
          );
          expect(await allDocuments()).toEqual(expected);
          await resetAllReadModels();
          await Promise.all([projectInBatches(eventLog, size), projectInBatches(eventLog, other)]);
          expect(await allDocuments()).toEqual(expected);
        },
      ),
      propertyOptions,
    );
  });

  it('are the same when one of them is rebuilt in the middle', async () => {
    await fc.assert(
      fc.asyncProperty(generatedEventLogs, fc.nat({ max: projections.length - 1 }), async (eventLog, chosen) => {
        const expected = await rebuildFrom(eventLog);
        await resetAllReadModels();
        const half = Math.floor(eventLog.length / 2);
        const runner = await openProjectionRunner(reads, projections);
        await projectToEnd(eventStoreOf(eventLog.slice(0, half)), runner);
        await emptyReadModel(reads, projections[chosen]!.model);
        const rest = eventLog.slice(half);
        if (rest.length > 0 && !(await runner.advance(half, rest))) await projectToEnd(eventStoreOf(eventLog), runner);
        await catchUp(eventStoreOf(eventLog), reads, projections);
        expect(await allDocuments()).toEqual(expected);
      }),
      propertyOptions,
    );
  });

  it('reject a batch that does not start at their position', async () => {
    const eventLog = eventLogOf(
      fc.sample(generatedHistories, { seed: 7, numRuns: 10 }).toSorted((a, b) => b.length - a.length)[0]!,
      [0],
    );
    await resetAllReadModels();
    const runner = await openProjectionRunner(reads, projections);
    expect(await runner.advance(1, eventLog.slice(1))).toBe(false);
    expect(Object.values(await allDocuments()).flat()).toEqual([]);
  });
});

const bodies = (eventLog: readonly RecordedEvent[], id: string) =>
  (eventLog.filter(({ stream }) => stream === `template-${id}`) as unknown as TemplateEvent[]).flatMap((event) =>
    event.type === 'TemplateCreated' || event.type === 'TemplateVersioned' ? [event.data.body] : [],
  );

describe('The template read models', () => {
  it('have every template that is not deleted at its last version, and all versions', async () => {
    await fc.assert(
      fc.asyncProperty(generatedEventLogs, async (eventLog) => {
        await rebuildFrom(eventLog);
        const created = eventLog
          .filter(({ type }) => type === 'TemplateCreated')
          .map(({ stream }) => stream.slice('template-'.length));
        const deleted = new Set(
          eventLog
            .filter(({ type }) => type === 'TemplateDeleted')
            .map(({ stream }) => stream.slice('template-'.length)),
        );
        for (const id of created) {
          const all = bodies(eventLog, id);
          const document = await reads.get(readModels.templates, id);
          if (deleted.has(id)) expect(document).toBeNull();
          else expect(document).toMatchObject({ ...all.at(-1)!, version: all.length });
          const versions = (await documentsOf(readModels.templateVersions))
            .filter(({ templateId }) => templateId === id)
            .toSorted((a, b) => Number(a['version']) - Number(b['version']));
          expect(versions.map(({ version, body }) => [version, body])).toEqual(
            all.map((body, index) => [index + 1, body]),
          );
        }
        expect((await documentsOf(readModels.templates)).length).toBe(created.length - deleted.size);
      }),
      propertyOptions,
    );
  });

  it('count each use of a template but template tests, with the time of the last use', async () => {
    await fc.assert(
      fc.asyncProperty(generatedEventLogs, async (eventLog) => {
        await rebuildFrom(eventLog);
        for (const id of ['t1', 't2', 't3']) {
          const uses = eventLog.filter(
            ({ type, data }) =>
              type === 'RenderRequested' &&
              !(data as { templateTest: boolean }).templateTest &&
              (data as { source: { templateId?: string } }).source.templateId === id,
          );
          const found = await reads.get(readModels.templateUsage, id);
          expect(found).toEqual(
            uses.length === 0
              ? null
              : { templateId: id, count: uses.length, lastUsedAt: uses.at(-1)!.metadata.occurredAt },
          );
        }
      }),
      propertyOptions,
    );
  });
});

describe('The render read model', () => {
  it('has the status of the last event and the time of the request', async () => {
    const statusAfter: Record<string, RenderDocument['status']> = {
      RenderRequested: 'QUEUED',
      RenderStarted: 'PROCESSING',
      RenderCompleted: 'DONE',
      RenderFailed: 'FAILED',
      PdfErased: 'DONE',
    };
    await fc.assert(
      fc.asyncProperty(generatedEventLogs, async (eventLog) => {
        await rebuildFrom(eventLog);
        const byRender = Map.groupBy(
          eventLog.filter(({ stream }) => stream.startsWith('render-')),
          ({ stream }) => stream.slice('render-'.length),
        );
        for (const [id, events] of byRender) {
          const found = (await reads.get(readModels.renders, id)) as RenderDocument;
          expect(found).toMatchObject({
            status: statusAfter[events.at(-1)!.type],
            createdAt: events[0]!.metadata.occurredAt,
          });
          if (events.at(-1)!.type === 'PdfErased') expect(found.keptUntil).toBeNull();
        }
      }),
      propertyOptions,
    );
  });
});

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
import { resetReadModels } from './testing/reset-read-models.ts';
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

const eventStoreOf = (log: readonly RecordedEvent[]) =>
  ({
    readAll: async (after, limit) => log.filter(({ position }) => position > after).slice(0, limit),
  }) satisfies Partial<EventStore> as unknown as EventStore;
const resetAllReadModels = (): Promise<void> => resetReadModels(reads, projections);
const documentsOf = async (name: string): Promise<Document[]> => reads.find(name, { where: {}, limit: 10_000 });
const allDocuments = async (): Promise<Record<string, Document[]>> =>
  Object.fromEntries(
    await Promise.all(
      projections.flatMap(collectionsOf).map(async ({ name }) => [name, await documentsOf(name)] as const),
    ),
  );

/** The read models as one look over the whole log builds them. */
const rebuildFrom = async (log: readonly RecordedEvent[]): Promise<Record<string, Document[]>> => {
  await resetAllReadModels();
  await catchUp(eventStoreOf(log), reads, projections);
  return allDocuments();
};

const generatedEventLogs = fc
  .tuple(generatedHistories, fc.array(fc.nat({ max: 100 }), { maxLength: 60 }))
  .map(([told, picks]) => eventLogOf(told, picks));
/** Follows the log to its end, in batches of one size. */
const projectInBatches = async (log: readonly RecordedEvent[], size: number): Promise<void> => {
  const projecting = await openProjectionRunner(reads, projections);
  for (let after = projecting.position(); after < log.length; after += size) {
    if (!(await projecting.advance(after, log.slice(after, after + size))))
      await projectToEnd(eventStoreOf(log), projecting);
  }
};
const models = projections.map(({ model }) => model);
const propertyOptions = { numRuns: 25 };

describe('The read models', () => {
  it('come out the same from the log at once and from following it, in batches of any size', async () => {
    await fc.assert(
      fc.asyncProperty(generatedEventLogs, fc.integer({ min: 1, max: 9 }), async (log, size) => {
        const expected = await rebuildFrom(log);
        await resetAllReadModels();
        await projectInBatches(log, size);
        expect(await allDocuments()).toEqual(expected);
      }),
      propertyOptions,
    );
  });

  it('come out the same when events are told again, and when two follow the log at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        generatedEventLogs,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        async (log, size, other) => {
          const expected = await rebuildFrom(log);
          // The checkpoints are behind the documents, as after a crash.
          await createBatchProjector(reads)(
            (await reads.servingGenerations(models)).map(({ generation }, index) => ({
              projection: projections[index]!,
              generation,
              position: 0,
            })),
            log,
          );
          expect(await allDocuments()).toEqual(expected);
          await resetAllReadModels();
          await Promise.all([projectInBatches(log, size), projectInBatches(log, other)]);
          expect(await allDocuments()).toEqual(expected);
        },
      ),
      propertyOptions,
    );
  });

  it('come out the same when one of them is built anew in the middle', async () => {
    await fc.assert(
      fc.asyncProperty(generatedEventLogs, fc.nat({ max: projections.length - 1 }), async (log, chosen) => {
        const expected = await rebuildFrom(log);
        await resetAllReadModels();
        const half = Math.floor(log.length / 2);
        const projecting = await openProjectionRunner(reads, projections);
        await projectToEnd(eventStoreOf(log.slice(0, half)), projecting);
        await resetReadModels(reads, [projections[chosen]!]);
        const rest = log.slice(half);
        if (rest.length > 0 && !(await projecting.advance(half, rest)))
          await projectToEnd(eventStoreOf(log), projecting);
        await catchUp(eventStoreOf(log), reads, projections);
        expect(await allDocuments()).toEqual(expected);
      }),
      propertyOptions,
    );
  });

  it('take no batch that does not begin where they are', async () => {
    const log = eventLogOf(
      fc.sample(generatedHistories, { seed: 7, numRuns: 10 }).toSorted((a, b) => b.length - a.length)[0]!,
      [0],
    );
    await resetAllReadModels();
    const projecting = await openProjectionRunner(reads, projections);
    expect(await projecting.advance(1, log.slice(1))).toBe(false);
    expect(Object.values(await allDocuments()).flat()).toEqual([]);
  });
});

const bodies = (log: readonly RecordedEvent[], id: string) =>
  (log.filter(({ stream }) => stream === `template-${id}`) as unknown as TemplateEvent[]).flatMap((event) =>
    event.type === 'TemplateCreated' || event.type === 'TemplateVersioned' ? [event.data.body] : [],
  );

describe('Templates, as queries see them', () => {
  it('are those that were created and not deleted, at their last version, with every version there was', async () => {
    await fc.assert(
      fc.asyncProperty(generatedEventLogs, async (log) => {
        await rebuildFrom(log);
        const created = log
          .filter(({ type }) => type === 'TemplateCreated')
          .map(({ stream }) => stream.slice('template-'.length));
        const deleted = new Set(
          log.filter(({ type }) => type === 'TemplateDeleted').map(({ stream }) => stream.slice('template-'.length)),
        );
        for (const id of created) {
          const all = bodies(log, id);
          const document = await reads.get(readModels.templates, id);
          if (deleted.has(id)) expect(document).toBeNull();
          else expect(document).toMatchObject({ ...all.at(-1)!, version: all.length });
          const versions = await reads.find(readModels.templateVersions, {
            where: { templateId: id },
            sort: { by: 'version', descending: false },
            limit: 100,
          });
          expect(versions.map(({ version, body }) => [version, body])).toEqual(
            all.map((body, index) => [index + 1, body]),
          );
        }
        expect((await documentsOf(readModels.templates)).length).toBe(created.length - deleted.size);
      }),
      propertyOptions,
    );
  });

  it('were used as often as they were rendered from, trials left out, and last when they last were', async () => {
    await fc.assert(
      fc.asyncProperty(generatedEventLogs, async (log) => {
        await rebuildFrom(log);
        for (const id of ['t1', 't2', 't3']) {
          const uses = log.filter(
            ({ type, data }) =>
              type === 'RenderRequested' &&
              !(data as { templateTest: boolean }).templateTest &&
              (data as { source: { templateId?: string } }).source.templateId === id,
          );
          const found = await reads.get(readModels.templateUsage, id);
          expect(found).toEqual(
            uses.length === 0 ? null : { count: uses.length, lastUsedAt: uses.at(-1)!.metadata.occurredAt },
          );
        }
      }),
      propertyOptions,
    );
  });
});

describe('Renders, as queries see them', () => {
  it('are as far as their last event, and begin when they were asked for', async () => {
    const statusAfter: Record<string, RenderDocument['status']> = {
      RenderRequested: 'QUEUED',
      RenderStarted: 'PROCESSING',
      RenderCompleted: 'DONE',
      RenderFailed: 'FAILED',
      PdfErased: 'DONE',
    };
    await fc.assert(
      fc.asyncProperty(generatedEventLogs, async (log) => {
        await rebuildFrom(log);
        const byRender = Map.groupBy(
          log.filter(({ stream }) => stream.startsWith('render-')),
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

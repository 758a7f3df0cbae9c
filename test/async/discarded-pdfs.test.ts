import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readModels, streams } from '#contracts/names.ts';
import { openPendingReplies } from '#libs/replies/pending-replies.ts';
import { render } from '#libs/domain/render.ts';
import { EventTooLarge, type EventStore } from '#libs/event-store/port.ts';
import { loadAggregate } from '#application/command-handling/aggregate.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import { scriptFreeClassification } from '#libs/documents/html/classify.ts';
import { jobOf } from '../../services/api/jobs/job-view.ts';
import type { RunRenderDependencies } from '#application/renders/end-render.ts';
import { runRender } from '#application/renders/run-render.ts';
import { eraseExpiredPdfs } from '../../services/sweeper/erase.ts';
import { openEmbeddedEngines, pollResponseMode, type EmbeddedEngines } from '../support/api/embedded-engines.ts';

const hourMs = 3_600_000;
const pdf = Buffer.from('%PDF that no render names');

/** `duringPrint` runs while the renderer prints. The renderer records in `store`. */
const rendererDependencies = (
  { eventLog, engines: { blobs } }: EmbeddedEngines,
  duringPrint: () => Promise<void> = async () => undefined,
  store: EventStore = eventLog.store,
): RunRenderDependencies =>
  ({
    eventLog: { ...eventLog, store },
    replies: openPendingReplies(),
    worker: 'tests',
    report: () => undefined,
    blobs: { ...blobs, get: async () => Buffer.from('<p>x') },
    outputs: blobs,
    preparation: { prepare: async () => ({ html: '<p>x', classification: scriptFreeClassification }) },
    printer: {
      print: async () => {
        await duringPrint();
        return { pdf, pages: 1, engine: 'tests', warnings: [], timings: { waitMs: 1, loadMs: 1, printMs: 1 } };
      },
    },
  }) as unknown as RunRenderDependencies;

/** An event store that rejects RenderCompleted as too large. */
const rejectingCompletions = ({ eventLog: { store } }: EmbeddedEngines): EventStore => ({
  ...store,
  append: async (stream, events, ...rest) => {
    const end = events.find(({ type }) => type === 'RenderCompleted');
    if (end) throw new EventTooLarge(end.type, 70_000);
    return store.append(stream, events, ...rest);
  },
});

const isStored = ({ engines: { blobs } }: EmbeddedEngines): Promise<boolean> =>
  blobs.has(createHash('sha256').update(pdf).digest('hex'));

describe('A render whose completion the event log rejects', () => {
  test('fails at its first attempt, and its stored PDF is erased after the hour', async () => {
    const embedded = await openEmbeddedEngines();
    const id = await embedded.recordQueuedRender(pollResponseMode);
    const stream = streams.render(id);
    expect(
      await runRender(rendererDependencies(embedded, undefined, rejectingCompletions(embedded)), stream, 1),
    ).toEqual({ kind: 'done' });
    expect(await embedded.eventTypesIn(stream)).toEqual([
      'RenderRequested',
      'RenderStarted',
      'RenderFailed',
      'PdfDiscarded',
    ]);
    expect((await embedded.eventLog.store.read(stream))[2]!.data).toMatchObject({
      attempt: 1,
      error: { name: 'internal_error', message: 'The service rendered the document but could not record it.' },
    });
    expect(await isStored(embedded)).toBe(true);
    await embedded.catchUpReadModels();
    embedded.advanceClock(hourMs + 1);
    expect(await eraseExpiredPdfs({ eventLog: embedded.eventLog, ...embedded.engines })).toBe(1);
    expect(await isStored(embedded)).toBe(false);
    await embedded.catchUpReadModels();
    expect(await eraseExpiredPdfs({ eventLog: embedded.eventLog, ...embedded.engines })).toBe(0);
  });
});

describe('A PDF that is ready after another worker has failed the render', () => {
  const renderLate = async (embedded: EmbeddedEngines) => {
    const id = await embedded.recordQueuedRender(pollResponseMode);
    const stream = streams.render(id);
    const failElsewhere = async (): Promise<void> => {
      const { aggregate } = await loadAggregate(embedded.eventLog, render, stream);
      await aggregate.execute(
        {
          type: 'fail',
          data: {
            attempt: 1,
            error: { name: 'processing_timeout', message: 'too late', extra: {} },
            responseMode: 'poll',
            totalMs: 1,
            quotaRefundDate: null,
          },
        },
        embedded.cause,
      );
    };
    expect(await runRender(rendererDependencies(embedded, failElsewhere), stream, 1)).toEqual({ kind: 'done' });
    await embedded.catchUpReadModels();
    return { id, stream };
  };

  test('is erased after the hour, and the job does not show it', async () => {
    const embedded = await openEmbeddedEngines();
    const { id, stream } = await renderLate(embedded);
    expect(await embedded.eventTypesIn(stream)).toEqual([
      'RenderRequested',
      'RenderStarted',
      'RenderFailed',
      'PdfDiscarded',
    ]);
    const document = (await embedded.engines.reads.get(readModels.renders, id)) as RenderDocument;
    const job = jobOf(document, null, () => 'an address', embedded.clock.now);
    expect(job).toMatchObject({ status: 'FAILED', error: 'processing_timeout' });
    expect(Object.keys(job).filter((field) => field.startsWith('pdf_'))).toEqual([]);
    embedded.advanceClock(hourMs + 1);
    expect(await eraseExpiredPdfs({ eventLog: embedded.eventLog, ...embedded.engines })).toBe(1);
    expect(await isStored(embedded)).toBe(false);
    expect((await embedded.eventTypesIn(stream)).at(-1)).toBe('PdfErased');
  });

  test('stays stored while another render has the same bytes', async () => {
    const embedded = await openEmbeddedEngines();
    await renderLate(embedded);
    embedded.advanceClock(1_000);
    await embedded.recordCompletedRender(pollResponseMode, pdf.toString());
    await embedded.catchUpReadModels();
    embedded.advanceClock(hourMs - 999);
    expect(await eraseExpiredPdfs({ eventLog: embedded.eventLog, ...embedded.engines })).toBe(1);
    expect(await isStored(embedded)).toBe(true);
  });
});

describe('A PDF that is ready after another worker has completed the render with other bytes', () => {
  const completeTwice = async (embedded: EmbeddedEngines, eraseBefore: boolean) => {
    const id = await embedded.recordQueuedRender(pollResponseMode);
    const stream = streams.render(id);
    const others: RunRenderDependencies = rendererDependencies(embedded);
    const print: RunRenderDependencies['printer']['print'] = async (request) => ({
      ...(await rendererDependencies(embedded).printer.print(request)),
      pdf: Buffer.from('%PDF of the other worker'),
    });
    const completeElsewhere = async (): Promise<void> => {
      await runRender({ ...others, printer: { ...others.printer, print } }, stream, 2);
      if (!eraseBefore) return;
      await embedded.catchUpReadModels();
      embedded.advanceClock(hourMs + 1);
      expect(await eraseExpiredPdfs({ eventLog: embedded.eventLog, ...embedded.engines })).toBe(1);
      embedded.advanceClock(-hourMs);
    };
    expect(await runRender(rendererDependencies(embedded, completeElsewhere), stream, 1)).toEqual({ kind: 'done' });
    await embedded.catchUpReadModels();
    expect(await isStored(embedded)).toBe(true);
    return { id, stream };
  };

  test.each([[false], [true]])('is erased with that of the other worker, or soon (%s)', async (eraseBefore) => {
    const embedded = await openEmbeddedEngines();
    const { id, stream } = await completeTwice(embedded, eraseBefore);
    const read = async () => (await embedded.engines.reads.get(readModels.renders, id)) as RenderDocument;
    const { keptUntil, endedAt } = await read();
    expect(Date.parse(keptUntil!) - Date.parse(endedAt!)).toBe(eraseBefore ? 1 : hourMs);
    expect((await embedded.eventTypesIn(stream)).at(-1)).toBe('PdfDiscarded');
    embedded.advanceClock(eraseBefore ? hourMs / 2 : hourMs + 1);
    expect(await eraseExpiredPdfs({ eventLog: embedded.eventLog, ...embedded.engines })).toBe(1);
    expect(await isStored(embedded)).toBe(false);
    await embedded.catchUpReadModels();
    expect(await read()).toMatchObject({ keptUntil: null, discarded: [] });
    expect(await eraseExpiredPdfs({ eventLog: embedded.eventLog, ...embedded.engines })).toBe(0);
  });
});

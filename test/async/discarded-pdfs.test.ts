import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readModels, streams } from '#contracts/names.ts';
import { openMemoryReplies } from '#libs/replies/memory.ts';
import { render } from '#libs/domain/render.ts';
import { EventTooLarge, type EventStore } from '#libs/event-store/port.ts';
import { loadAggregate } from '#application/command-handling/aggregate.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import { scriptFreeClassification } from '#libs/documents/html/classify.ts';
import { jobOf } from '../../services/api/jobs/job-view.ts';
import { type RunRenderDependencies, runRender } from '#application/renders/run-render.ts';
import { eraseExpiredPdfs } from '../../services/sweeper/erase.ts';
import { openEmbeddedEngines, pollResponseMode, type EmbeddedEngines } from '../support/api/embedded-engines.ts';

const hourMs = 3_600_000;
const pdf = Buffer.from('%PDF that no render names');

/** A renderer over the stage; `meanwhile` happens while it prints, and `store` is what it records in. */
const rendererOn = (
  { eventLog: log, engines: { blobs } }: EmbeddedEngines,
  meanwhile: () => Promise<void> = async () => undefined,
  store: EventStore = log.store,
): RunRenderDependencies =>
  ({
    log: { ...log, store },
    answers: openMemoryReplies(),
    worker: 'tests',
    report: () => undefined,
    blobs: { ...blobs, get: async () => Buffer.from('<p>x') },
    preparation: { prepare: async () => ({ html: '<p>x', classification: scriptFreeClassification }) },
    printer: {
      print: async () => {
        await meanwhile();
        return { pdf, pages: 1, browserVersion: 'tests', warnings: [], timings: { waitMs: 1, loadMs: 1, printMs: 1 } };
      },
    },
  }) as unknown as RunRenderDependencies;

/** The stage's log, which finds the end of a render too large. */
const refusingEnds = ({ eventLog: { store } }: EmbeddedEngines): EventStore => ({
  ...store,
  append: async (stream, events, expected) => {
    const end = events.find(({ type }) => type === 'RenderCompleted');
    if (end) throw new EventTooLarge(end.type, 70_000);
    return store.append(stream, events, expected);
  },
});

const isStored = ({ engines: { blobs } }: EmbeddedEngines): Promise<boolean> =>
  blobs.has(createHash('sha256').update(pdf).digest('hex'));

describe('A render whose end the log refuses', () => {
  test('fails at its first attempt, and its stored PDF is erased after the hour', async () => {
    const stage = await openEmbeddedEngines();
    const id = await stage.recordQueuedRender(pollResponseMode);
    const stream = streams.render(id);
    expect(await runRender(rendererOn(stage, undefined, refusingEnds(stage)), stream, 1)).toEqual({ kind: 'done' });
    expect(await stage.eventTypesIn(stream)).toEqual([
      'RenderRequested',
      'RenderStarted',
      'RenderFailed',
      'PdfDiscarded',
    ]);
    expect((await stage.eventLog.store.read(stream))[2]!.data).toMatchObject({
      attempt: 1,
      error: { name: 'internal_error', message: 'The service made the document but could not record it.' },
    });
    expect(await isStored(stage)).toBe(true);
    await stage.catchUpReadModels();
    stage.advanceClock(hourMs + 1);
    expect(await eraseExpiredPdfs({ eventLog: stage.eventLog, ...stage.engines })).toBe(1);
    expect(await isStored(stage)).toBe(false);
    await stage.catchUpReadModels();
    expect(await eraseExpiredPdfs({ eventLog: stage.eventLog, ...stage.engines })).toBe(0);
  });
});

describe('A PDF that comes when another worker has failed the render', () => {
  const late = async (stage: EmbeddedEngines) => {
    const id = await stage.recordQueuedRender(pollResponseMode);
    const stream = streams.render(id);
    const failElsewhere = async (): Promise<void> => {
      const { aggregate } = await loadAggregate(stage.eventLog, render, stream);
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
        stage.cause,
      );
    };
    expect(await runRender(rendererOn(stage, failElsewhere), stream, 1)).toEqual({ kind: 'done' });
    await stage.catchUpReadModels();
    return { id, stream };
  };

  test('is erased after the hour, and the job shows nothing of it', async () => {
    const stage = await openEmbeddedEngines();
    const { id, stream } = await late(stage);
    expect(await stage.eventTypesIn(stream)).toEqual([
      'RenderRequested',
      'RenderStarted',
      'RenderFailed',
      'PdfDiscarded',
    ]);
    const document = (await stage.engines.reads.get(readModels.renders, id)) as RenderDocument;
    const job = jobOf(document, null, () => 'an address', stage.clock.now);
    expect(job).toMatchObject({ status: 'FAILED', error: 'processing_timeout' });
    expect(Object.keys(job).filter((field) => field.startsWith('pdf_'))).toEqual([]);
    stage.advanceClock(hourMs + 1);
    expect(await eraseExpiredPdfs({ eventLog: stage.eventLog, ...stage.engines })).toBe(1);
    expect(await isStored(stage)).toBe(false);
    expect((await stage.eventTypesIn(stream)).at(-1)).toBe('PdfErased');
  });

  test('stays stored while another render names the same bytes', async () => {
    const stage = await openEmbeddedEngines();
    await late(stage);
    stage.advanceClock(1_000);
    await stage.recordCompletedRender(pollResponseMode, pdf.toString());
    await stage.catchUpReadModels();
    stage.advanceClock(hourMs - 999);
    expect(await eraseExpiredPdfs({ eventLog: stage.eventLog, ...stage.engines })).toBe(1);
    expect(await isStored(stage)).toBe(true);
  });
});

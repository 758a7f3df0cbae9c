import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readModels, streams } from '#contracts/names.ts';
import { openMemoryAnswers } from '#libs/answers/memory.ts';
import { render } from '#libs/domain/render.ts';
import { EventTooLarge, type EventStore } from '#libs/event-store/port.ts';
import { load } from '#application/handling/handle.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import { nothingThatRuns } from '#libs/documents/html/classify.ts';
import { jobOf } from '../../services/api/jobs/view.ts';
import { type RendererDependencies, runRender } from '#application/renders/run-render.ts';
import { erasePdfs } from '../../services/sweeper/erase.ts';
import { openStage, poll, type Stage } from './stage.ts';

const hourMs = 3_600_000;
const pdf = Buffer.from('%PDF that no render names');

/** A renderer over the stage; `meanwhile` happens while it prints, and `store` is what it records in. */
const rendererOn = ({ log, engines: { blobs } }: Stage, meanwhile: () => Promise<void> = async () => undefined, store: EventStore = log.store): RendererDependencies =>
  ({
    log: { ...log, store }, answers: openMemoryAnswers(), worker: 'tests', report: () => undefined,
    blobs: { ...blobs, get: async () => Buffer.from('<p>x') },
    preparation: { prepare: async () => ({ html: '<p>x', classification: nothingThatRuns }) },
    printer: {
      print: async () => {
        await meanwhile();
        return { pdf, pages: 1, engine: 'tests', warnings: [], timings: { waitMs: 1, loadMs: 1, printMs: 1 } };
      },
    },
  }) as unknown as RendererDependencies;

/** The stage's log, which finds the end of a render too large. */
const refusingEnds = ({ log: { store } }: Stage): EventStore => ({
  ...store,
  append: async (stream, events, expected) => {
    const end = events.find(({ type }) => type === 'RenderCompleted');
    if (end) throw new EventTooLarge(end.type, 70_000);
    return store.append(stream, events, expected);
  },
});

const isStored = ({ engines: { blobs } }: Stage): Promise<boolean> => blobs.has(createHash('sha256').update(pdf).digest('hex'));

describe('A render whose end the log refuses', () => {
  test('fails at its first attempt, and its stored PDF is erased after the hour', async () => {
    const stage = await openStage();
    const id = await stage.queued(poll);
    const stream = streams.render(id);
    expect(await runRender(rendererOn(stage, undefined, refusingEnds(stage)), stream, 1)).toEqual({ kind: 'done' });
    expect(await stage.typesOf(stream)).toEqual(['RenderRequested', 'RenderStarted', 'RenderFailed', 'PdfDiscarded']);
    expect((await stage.log.store.read(stream))[2]!.data).toMatchObject({ attempt: 1, fault: { name: 'internal_error', message: 'The service made the document but could not record it.' } });
    expect(await isStored(stage)).toBe(true);
    await stage.settled();
    stage.pass(hourMs + 1);
    expect(await erasePdfs({ log: stage.log, ...stage.engines })).toBe(1);
    expect(await isStored(stage)).toBe(false);
    await stage.settled();
    expect(await erasePdfs({ log: stage.log, ...stage.engines })).toBe(0);
  });
});

describe('A PDF that comes when another worker has failed the render', () => {
  const late = async (stage: Stage) => {
    const id = await stage.queued(poll);
    const stream = streams.render(id);
    const failElsewhere = async (): Promise<void> => {
      const { aggregate } = await load(stage.log, render, stream);
      await aggregate.execute({ type: 'fail', data: { attempt: 1, fault: { name: 'processing_timeout', message: 'too late', extra: {} }, reply: 'poll', totalMs: 1, givesBack: null } }, stage.cause);
    };
    expect(await runRender(rendererOn(stage, failElsewhere), stream, 1)).toEqual({ kind: 'done' });
    await stage.settled();
    return { id, stream };
  };

  test('is erased after the hour, and the job shows nothing of it', async () => {
    const stage = await openStage();
    const { id, stream } = await late(stage);
    expect(await stage.typesOf(stream)).toEqual(['RenderRequested', 'RenderStarted', 'RenderFailed', 'PdfDiscarded']);
    const document = (await stage.engines.reads.get(readModels.renders, id)) as RenderDocument;
    const job = jobOf(document, null, () => 'an address', stage.clock.now);
    expect(job).toMatchObject({ status: 'FAILED', error: 'processing_timeout' });
    expect(Object.keys(job).filter((field) => field.startsWith('pdf_'))).toEqual([]);
    stage.pass(hourMs + 1);
    expect(await erasePdfs({ log: stage.log, ...stage.engines })).toBe(1);
    expect(await isStored(stage)).toBe(false);
    expect((await stage.typesOf(stream)).at(-1)).toBe('PdfErased');
  });

  test('stays stored while another render names the same bytes', async () => {
    const stage = await openStage();
    await late(stage);
    stage.pass(1_000);
    await stage.completed(poll, pdf.toString());
    await stage.settled();
    stage.pass(hourMs - 999);
    expect(await erasePdfs({ log: stage.log, ...stage.engines })).toBe(1);
    expect(await isStored(stage)).toBe(true);
  });
});

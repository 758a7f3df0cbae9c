import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streams } from '#contracts/names.ts';
import { newAggregate, loadAggregate } from '#application/command-handling/aggregate.ts';
import { scriptFreeClassification } from '#libs/documents/html/classify.ts';
import { BrowserGone } from '#libs/chromium/cdp/errors.ts';
import { render } from '#libs/domain/render.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import { newId } from '#libs/ids/ulids.ts';
import { openPendingReplies } from '#libs/replies/pending-replies.ts';
import type { RunRenderDependencies } from './end-render.ts';
import type { RenderRequestedData } from './load-inputs.ts';
import { keptPdfOf } from './kept-pdf.ts';
import { regeneratePdf } from './regenerate-pdf.ts';
import { runRender } from './run-render.ts';
import { verifyPdf } from './verify-pdf.ts';

let folder: string;
let store: EventStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-thumbnails-'));
  store = openSqliteEventStore(join(folder, 'log.db'));
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const afterExpiry = new Date('9999-01-01');
const cause = {
  actor: { kind: 'key' as const, id: 'k' },
  accountId: 'a',
  correlationId: 'req_c',
  causationId: null,
  traceparent: null,
};
const requested: RenderRequestedData = {
  accountId: 'a',
  keyId: 'k',
  keyType: 'live',
  templateTest: false,
  responseMode: { kind: 'poll', estimatedMs: 1 },
  headerFooter: { header: null, footer: null },
  options: { thumbnail: true },
  source: { mode: 'CONVERT', inputType: 'html', input: { sha256: 'input', size: 1 } },
  limits: { processingMs: 30_000, scriptMs: 5_000, maxPages: 100, maxImages: 50, maxPdfBytes: null },
};

/** A renderer whose engine draws this image, and the hashes of the files that it stores. */
const rendererOf = (image: string, drawingEngine: string) => {
  const stored: string[] = [];
  const put = async (bytes: Uint8Array) => {
    stored.push(sha256(Buffer.from(bytes).toString()));
    return { sha256: stored.at(-1)!, size: bytes.byteLength };
  };
  const blobs = { get: async () => Buffer.from('<p>x'), has: async () => false, put };
  const dependencies = {
    eventLog: { store, now: () => new Date() },
    replies: openPendingReplies(),
    worker: 'worker',
    report: () => undefined,
    blobs,
    outputs: blobs,
    preparation: {
      prepare: async () => ({ html: '<p>x', classification: scriptFreeClassification }),
      drawThumbnail: async () => ({ file: Buffer.from(image), engine: drawingEngine }),
    },
    printer: {
      print: async () => ({
        pdf: Buffer.from('%PDF'),
        pages: 1,
        engine: 'browser 1',
        warnings: [],
        timings: { waitMs: 1, loadMs: 1, printMs: 1 },
      }),
    },
  } as unknown as RunRenderDependencies;
  return { dependencies, stored };
};

const requestAgain = async (stream: string, command: 'verification' | 'regeneration', count: number): Promise<void> => {
  const { aggregate } = await loadAggregate({ store, now: () => new Date() }, render, stream);
  await aggregate.execute(
    command === 'verification'
      ? { type: 'requestVerification', count, keepPdf: true }
      : { type: 'requestPdfRegeneration', count },
    cause,
  );
};

const erasePdf = async (stream: string): Promise<void> => {
  const { aggregate } = await loadAggregate({ store, now: () => new Date() }, render, stream);
  await aggregate.execute({ type: 'erasePdf', now: afterExpiry }, cause);
};

describe('A thumbnail that is drawn again', () => {
  it.each([
    ['verification', verifyPdf],
    ['regeneration', regeneratePdf],
  ] as const)('in a %s is stored only if it is the recorded one, because no other is erased', async (kind, again) => {
    const first = rendererOf('image', 'drawing 1');
    const stream = streams.render(newId());
    const { dependencies } = first;
    await newAggregate(dependencies.eventLog, render, stream).execute({ type: 'request', data: requested }, cause);
    await runRender(dependencies, stream, 1);
    expect(first.stored).toEqual([sha256('image'), sha256('%PDF')]);
    await erasePdf(stream);
    for (const [count, [image, engine, stored]] of (
      [
        ['other image', 'drawing 2', [sha256('%PDF')]],
        ['image', 'drawing 1', [sha256('image'), sha256('%PDF')]],
      ] as const
    ).entries()) {
      await requestAgain(stream, kind, count + 1);
      const next = rendererOf(image, engine);
      await again(next.dependencies, stream, 1);
      expect(next.stored).toEqual(stored);
      if (kind === 'verification')
        expect((await store.read(stream)).at(-1)).toMatchObject({
          type: 'RenderVerified',
          data: { outcome: { thumbnail: { sha256: sha256(image) }, engine: `browser 1, ${engine}` } },
        });
      await erasePdf(stream);
    }
  });
});

it('A regenerated PDF that could not be stored is sent to the caller, who is not told that it is kept', async () => {
  const { dependencies } = rendererOf('image', 'drawing 1');
  const id = newId();
  const stream = streams.render(id);
  await newAggregate(dependencies.eventLog, render, stream).execute({ type: 'request', data: requested }, cause);
  await runRender(dependencies, stream, 1);
  await erasePdf(stream);
  for (const [count, put] of [dependencies.outputs.put, () => Promise.reject(new Error('disk full'))].entries()) {
    await requestAgain(stream, 'regeneration', count + 1);
    const reply = dependencies.replies.wait(id, new AbortController().signal);
    await regeneratePdf({ ...dependencies, outputs: { ...dependencies.outputs, put } }, stream, 1);
    expect(await reply).toMatchObject({ status: 'DONE', pdf: Buffer.from('%PDF') });
    expect(Object.keys((await reply)!).includes('keptUntil')).toBe(count === 0);
    await erasePdf(stream);
  }
});

it('A PDF that is still stored is sent as it is, and stored as long as before', async () => {
  const { dependencies } = rendererOf('image', 'drawing 1');
  const id = newId();
  const stream = streams.render(id);
  const request = { ...requested, options: {}, pdfRetentionMinutes: 7 * 24 * 60 };
  await newAggregate(dependencies.eventLog, render, stream).execute({ type: 'request', data: request }, cause);
  await runRender(dependencies, stream, 1);
  const before = keptPdfOf(await store.read(stream), new Date());
  await requestAgain(stream, 'regeneration', 1);
  const reply = dependencies.replies.wait(id, new AbortController().signal);
  const print = () => Promise.reject(new Error('The page has changed.'));
  const outputs = { ...dependencies.outputs, has: async () => true, get: async () => Buffer.from('%PDF, stored') };
  await regeneratePdf({ ...dependencies, outputs, printer: { ...dependencies.printer, print } }, stream, 1);
  expect(before).toMatchObject({ kind: 'kept', keptUntil: expect.any(String) });
  expect(await reply).toMatchObject({
    status: 'DONE',
    pdf: Buffer.from('%PDF, stored'),
    keptUntil: before.kind === 'kept' && before.keptUntil,
  });
  expect(keptPdfOf(await store.read(stream), new Date())).toEqual(before);
});

it('A PDF of the last attempt is regenerated in an isolated browser, because its document may crash browsers', async () => {
  const { dependencies } = rendererOf('image', 'drawing 1');
  const { print } = dependencies.printer;
  const isolated: boolean[] = [];
  dependencies.printer.print = async (request) => {
    isolated.push(request.isolated === true);
    if (!request.isolated) throw new BrowserGone('It went down.');
    return print(request);
  };
  const stream = streams.render(newId());
  await newAggregate(dependencies.eventLog, render, stream).execute({ type: 'request', data: requested }, cause);
  for (let attempt = 1; attempt <= 3; attempt += 1) await runRender(dependencies, stream, 1);
  await erasePdf(stream);
  await requestAgain(stream, 'regeneration', 1);
  await regeneratePdf(dependencies, stream, 1);
  expect(isolated).toEqual([false, false, true, true]);
});

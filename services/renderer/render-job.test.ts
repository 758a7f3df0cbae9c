import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Problem } from '#contracts/http/problem.ts';
import { renderOptions } from '#contracts/http/render-options.ts';
import { streams } from '#contracts/names.ts';
import { openMemoryAnswers } from '#libs/answers/memory.ts';
import type { Answer } from '#libs/answers/port.ts';
import { BrowserGone, type Printed, type PrintRequest } from '#libs/chromium/printer.ts';
import { render } from '#libs/domain/render.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import { begin } from '#libs/handling/handle.ts';
import { newId } from '#libs/ids/new-id.ts';
import type { Requested } from '#libs/rendering/produce.ts';
import { type RendererParts, runJob } from './render-job.ts';

let folder: string;
let store: EventStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-renderer-'));
  store = openSqliteEventStore(join(folder, 'log.db'));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const requested: Requested = {
  accountId: 'a', keyId: 'k', keyType: 'live', trial: false, reply: { kind: 'wait' }, bands: { header: null, footer: null },
  options: renderOptions.omit({ header_html: true, footer_html: true }).parse({}),
  source: { mode: 'CONVERT', inputType: 'html', input: { sha256: 'input', size: 1 } },
  limits: { processingMs: 30_000, scriptMs: 5_000, maxPages: 100, maxImages: 50, maxPdfBytes: null },
};

/** What is needed to work on renders, with a browser that goes down under every document. */
const partsOf = (asked: PrintRequest[]): RendererParts =>
  ({
    log: { store, now: () => new Date() }, answers: openMemoryAnswers(), worker: 'worker', report: () => undefined,
    blobs: { get: async () => Buffer.from('<p>x') },
    preparation: { prepare: async () => ({ html: '<p>x', lane: 'quiet', laneReason: 'nothing that runs', external: false }) },
    printer: {
      print: async (request: PrintRequest) => {
        asked.push(request);
        throw new BrowserGone('It went down.');
      },
    },
  }) as unknown as RendererParts;

const ask = async ({ log }: RendererParts, data: Requested): Promise<string> => {
  const stream = streams.render(newId());
  const cause = { actor: { kind: 'key' as const, id: 'k' }, accountId: 'a', correlationId: 'c', causationId: null, traceparent: null };
  await begin(log, render, stream).execute({ type: 'request', data }, cause);
  return stream;
};

it('A document has its last attempt in a browser of its own, so that no other takes it from it', async () => {
  const asked: PrintRequest[] = [];
  const parts = partsOf(asked);
  const stream = await ask(parts, requested);
  const ends = [await runJob(parts, stream), await runJob(parts, stream), await runJob(parts, stream)];
  expect(ends.map(({ kind }) => kind)).toEqual(['again', 'again', 'done']);
  expect(asked.map(({ alone }) => alone)).toEqual([false, false, true]);
  expect((await store.read(stream)).at(-1)).toMatchObject({ type: 'RenderFailed', data: { fault: { name: 'conversion_failed' } } });
});

const printed: Printed = { pdf: Buffer.from('%PDF'), pages: 1, engine: 'tests', warnings: [], timings: { waitMs: 1, loadMs: 1, printMs: 1 } };
const webhook: Requested['reply'] = { kind: 'webhook', url: 'https://example.com/', method: 'POST', headers: {}, estimatedMs: 1 };
const prints = async (): Promise<Printed> => printed;
const refuses = async (): Promise<Printed> => {
  throw Problem.of('invalid_html', 'It ends within a tag.', {});
};

it.each([
  ['a PDF that somebody waits for', requested.reply, prints, ['DONE']],
  ['a failure that somebody waits for', requested.reply, refuses, ['FAILED']],
  ['no PDF that is fetched later', webhook, prints, []],
  ['no failure that is told by a callback', webhook, refuses, []],
])('A renderer sends to the other processes %s', async (_, reply, print, expected) => {
  const given: string[] = [];
  const answers = { ...openMemoryAnswers(), give: (_id: string, { status }: Answer) => void given.push(status) };
  const blobs = { get: async () => Buffer.from('<p>x'), put: async () => ({ sha256: 'pdf', size: 4 }) };
  const parts = { ...partsOf([]), answers, blobs, printer: { print } } as unknown as RendererParts;
  const stream = await ask(parts, { ...requested, reply });
  expect(await runJob(parts, stream)).toEqual({ kind: 'done' });
  expect(given).toEqual(expected);
});

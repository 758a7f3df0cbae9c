import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { streams } from '#contracts/names.ts';
import { openPendingReplies } from '#libs/replies/pending-replies.ts';
import type { RenderReply } from '#libs/replies/port.ts';
import { BlobNotFound } from '#libs/blob-store/port.ts';
import type { Office } from '#libs/office/port.ts';
import { TaskFailed } from '#libs/documents/worker/task-failed.ts';
import { BrowserGone } from '#libs/chromium/cdp/errors.ts';
import type { PrintResult, PrintRequest } from '#libs/chromium/printer.ts';
import { render } from '#libs/domain/render.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import { newAggregate, loadAggregate } from '#application/command-handling/aggregate.ts';
import { newId } from '#libs/ids/ulids.ts';
import type { RenderRequestedData } from './load-inputs.ts';
import type { Report } from '#libs/telemetry/logger.ts';
import { setMetricsRecorder } from '#libs/telemetry/metrics.ts';
import type { Span } from '#libs/telemetry/tracing.ts';
import { scriptFreeClassification } from '#libs/documents/html/classify.ts';
import { diagnoseRender } from './diagnose-render.ts';
import type { RunRenderDependencies } from './end-render.ts';
import { runRender } from './run-render.ts';
import { regeneratePdf } from './regenerate-pdf.ts';

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

const requested: RenderRequestedData = {
  accountId: 'a',
  keyId: 'k',
  keyType: 'live',
  templateTest: false,
  responseMode: { kind: 'wait' },
  headerFooter: { header: null, footer: null },
  options: {},
  source: { mode: 'CONVERT', inputType: 'html', input: { sha256: 'input', size: 1 } },
  limits: { processingMs: 30_000, scriptMs: 5_000, maxPages: 100, maxImages: 50, maxPdfBytes: null },
};

/** What is needed to work on renders, with a browser that goes down under every document. */
const dependenciesOf = (asked: PrintRequest[]): RunRenderDependencies =>
  ({
    eventLog: { store, now: () => new Date() },
    replies: openPendingReplies(),
    worker: 'worker',
    report: () => undefined,
    blobs: { get: async () => Buffer.from('<p>x') },
    preparation: { prepare: async () => ({ html: '<p>x', classification: scriptFreeClassification }) },
    printer: {
      print: async (request: PrintRequest) => {
        asked.push(request);
        throw new BrowserGone('It went down.');
      },
    },
  }) as unknown as RunRenderDependencies;

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const cause = {
  actor: { kind: 'key' as const, id: 'k' },
  accountId: 'a',
  correlationId: 'req_c',
  causationId: null,
  traceparent: `00-${trace}-00f067aa0ba902b7-01`,
};
const ask = async ({ eventLog }: RunRenderDependencies, data: RenderRequestedData): Promise<string> => {
  const stream = streams.render(newId());
  await newAggregate(eventLog, render, stream).execute({ type: 'request', data }, cause);
  return stream;
};

it('The last attempt of a render uses an isolated browser', async () => {
  const asked: PrintRequest[] = [];
  const dependencies = dependenciesOf(asked);
  const stream = await ask(dependencies, requested);
  const ends: string[] = [];
  for (let attempt = 1; attempt <= 3; attempt += 1) ends.push((await runRender(dependencies, stream, 1)).kind);
  expect(ends).toEqual(['retry', 'retry', 'done']);
  expect(asked.map(({ isolated }) => isolated)).toEqual([false, false, true]);
  expect((await store.read(stream)).at(-1)).toMatchObject({
    type: 'RenderFailed',
    data: { error: { name: 'conversion_failed' } },
  });
});

describe('A render without a free browser in time', () => {
  const busy = ApiError.of('service_unavailable', 'No browser was free.', { retry_after: 5 });
  const endsOf = async (reply: RenderRequestedData['responseMode'], attempts: number) => {
    const dependencies = dependenciesOf([]);
    dependencies.printer.print = () => Promise.reject(busy);
    const stream = await ask(dependencies, { ...requested, responseMode: reply });
    const ends: string[] = [];
    for (let attempt = 0; attempt < attempts; attempt += 1) ends.push((await runRender(dependencies, stream, 1)).kind);
    return { ends, last: (await store.read(stream)).at(-1) };
  };
  const givenBack = {
    type: 'RenderFailed',
    data: { error: { name: 'service_unavailable' }, quotaRefundDate: expect.any(String) },
  };
  it('fails at once if a caller waits, is retried if not, and is refunded', async () => {
    expect(await endsOf({ kind: 'wait' }, 1)).toMatchObject({ ends: ['done'], last: givenBack });
    expect(await endsOf({ kind: 'poll', estimatedMs: 1 }, 3)).toMatchObject({
      ends: ['retry', 'retry', 'done'],
      last: givenBack,
    });
  });
});

describe('A renderer with a cached history', () => {
  const heardOf = async (claims: number, delivery: number, other: object = {}) => {
    const asked: PrintRequest[] = [];
    const dependencies = { ...dependenciesOf(asked), ...other };
    const stream = await ask(dependencies, requested);
    for (let attempt = 1; attempt <= claims; attempt += 1)
      await (
        await loadAggregate(dependencies.eventLog, render, stream)
      ).aggregate.execute({ type: 'claim', attempt, worker: 'another', queueMs: 0 }, cause);
    const [first] = await store.read(stream);
    let reads = 0;
    const read: EventStore['read'] = (...given) => ((reads += 1), store.read(...given));
    const end = await runRender(
      {
        ...dependencies,
        eventLog: {
          ...dependencies.eventLog,
          store: { ...store, read, readCached: (name) => (name === stream ? [first!] : null) },
        },
      },
      stream,
      delivery,
    );
    return {
      end: end.kind,
      reads,
      printed: asked.length,
      attempts: (await store.read(stream)).flatMap(({ type, data }) =>
        type === 'RenderStarted' ? (data as { attempt: number }).attempt : [],
      ),
    };
  };

  it('does not read the event log if the history is complete', async () => {
    expect(await heardOf(0, 1)).toEqual({ end: 'retry', reads: 0, printed: 1, attempts: [1] });
  });

  it('leaves the render to the worker that has claimed it, and has the message redelivered', async () => {
    expect(await heardOf(1, 1)).toMatchObject({ end: 'retry', printed: 0, attempts: [1] });
  });

  it('gives no office document to LibreOffice before it has claimed the render', async () => {
    const convert = vi.fn<Office['convert']>();
    const prepared = { html: '', classification: scriptFreeClassification, office: { format: 'docx' } };
    const office = { office: { missing: () => null, convert }, preparation: { prepare: async () => prepared } };
    expect((await heardOf(1, 1, office)).end).toBe('retry');
    expect(convert).not.toHaveBeenCalled();
  });

  it('reads the history for a redelivered message, and makes the next attempt', async () => {
    expect(await heardOf(1, 2)).toMatchObject({ end: 'retry', printed: 1, attempts: [1, 2] });
  });
});

const printed: PrintResult = {
  pdf: Buffer.from('%PDF'),
  pages: 1,
  engine: 'tests',
  warnings: [],
  timings: { waitMs: 1, loadMs: 1, printMs: 1 },
};
const webhook: RenderRequestedData['responseMode'] = {
  kind: 'webhook',
  url: 'https://example.com/',
  urlIsMasked: false,
  method: 'POST',
  headers: {},
  sealed: null,
  estimatedMs: 1,
};
const prints = async (): Promise<PrintResult> => printed;
const refuses = async (): Promise<PrintResult> => {
  throw ApiError.of('invalid_html', 'It ends within a tag.', {});
};

it.each([
  ['a PDF that a caller waits for', requested.responseMode, prints, ['DONE']],
  ['a failure that a caller waits for', requested.responseMode, refuses, ['FAILED']],
  ['no PDF that is downloaded later', webhook, prints, []],
  ['no failure that is sent by webhook', webhook, refuses, []],
])('A renderer sends %s', async (_, responseMode, print, expected) => {
  const given: string[] = [];
  const replies = { ...openPendingReplies(), send: (_id: string, { status }: RenderReply) => void given.push(status) };
  const blobs = { get: async () => Buffer.from('<p>x'), put: async () => ({ sha256: 'pdf', size: 4 }) };
  const dependencies = {
    ...dependenciesOf([]),
    replies,
    blobs,
    outputs: blobs,
    printer: { print },
  } as unknown as RunRenderDependencies;
  const stream = await ask(dependencies, { ...requested, responseMode });
  expect(await runRender(dependencies, stream, 1)).toEqual({ kind: 'done' });
  expect(given).toEqual(expected);
});

describe('An error of the service in a renderer', () => {
  const breaks = async (): Promise<PrintResult> => {
    throw new TypeError('It fell apart.');
  };
  type Line = { fact: Record<string, unknown>; message: string; level: string };

  /** Dependencies with this printer, their log lines, and the attributes and errors of their span. */
  const watched = (print: () => Promise<PrintResult>) => {
    const lines: Line[] = [];
    const recorded: { attributes: Record<string, unknown>; failed: unknown } = { attributes: {}, failed: null };
    const report: Report = (fact, message, level = 'warn') => void lines.push({ fact, message, level });
    const span: Span = {
      traceparent: null,
      setAttributes: (attributes) => void Object.assign(recorded.attributes, attributes),
      setError: (error) => void (recorded.failed = error),
      setErrorType: (type) => void (recorded.failed = type),
    };
    const blobs = { get: async () => Buffer.from('<p>x'), put: async () => ({ sha256: 'pdf', size: 4 }) };
    return {
      dependencies: { ...dependenciesOf([]), blobs, report, printer: { print } } as unknown as RunRenderDependencies,
      span,
      recorded,
      errors: () => lines.filter(({ level }) => level === 'error'),
    };
  };
  const ids = { request_id: 'req_c', trace_id: trace };

  it('is logged once at level error with the ids of the request, after the last attempt', async () => {
    const { dependencies, errors } = watched(breaks);
    const stream = await ask(dependencies, requested);
    await runRender(dependencies, stream, 1);
    await runRender(dependencies, stream, 1);
    expect(errors()).toEqual([]);
    await runRender(dependencies, stream, 1);
    expect(errors()).toMatchObject([{ fact: { ...ids, attempt: 3 }, message: 'render failed' }]);
  });

  it('is not tried again if a task would fail in the same way', async () => {
    const { dependencies, errors } = watched(() => Promise.reject(new TaskFailed('a bug')));
    const stream = await ask(dependencies, requested);
    expect(await runRender(dependencies, stream, 1)).toEqual({ kind: 'done' });
    expect(errors()).toMatchObject([{ fact: { ...ids, attempt: 1 }, message: 'render failed' }]);
    expect((await dependencies.eventLog.store.read(stream)).at(-1)).toMatchObject({
      type: 'RenderFailed',
      data: { error: { name: 'internal_error' } },
    });
  });

  it('is logged with its cause if it is one of the document', async () => {
    const fields = { name: 'conversion_failed' as const, message: 'unexpected', extra: {} };
    const { dependencies, errors } = watched(() => Promise.reject(ApiError.from(fields, 'TypeError: a bug')));
    await runRender(dependencies, await ask(dependencies, requested), 1);
    expect(errors()).toMatchObject([{ fact: { ...ids, error: 'TypeError: a bug' } }]);
  });

  it('is logged if every attempt was lost with its process', async () => {
    const { dependencies, errors } = watched(prints);
    const stream = await ask(dependencies, requested);
    for (const attempt of [1, 2, 3])
      await (
        await loadAggregate(dependencies.eventLog, render, stream)
      ).aggregate.execute({ type: 'claim', attempt, worker: 'gone', queueMs: 0 }, cause);
    await runRender(dependencies, stream, 1);
    expect(errors()).toMatchObject([{ fact: ids }]);
  });

  it('is logged for a failed regeneration or diagnosis, whose span names the account', async () => {
    const good = watched(prints);
    const stream = await ask(good.dependencies, requested);
    await runRender(good.dependencies, stream, 1);
    const { aggregate } = await loadAggregate(good.dependencies.eventLog, render, stream);
    await aggregate.execute({ type: 'requestPdfRegeneration', count: 1 }, cause);
    await aggregate.execute({ type: 'requestDiagnosis' }, cause);
    for (const [job, message] of [
      [regeneratePdf, 'PDF regeneration failed'],
      [diagnoseRender, 'render diagnosis failed'],
    ] as const) {
      const { dependencies, span, recorded, errors } = watched(breaks);
      await job(dependencies, stream, 3, span);
      expect(errors()).toMatchObject([{ fact: ids, message }]);
      expect(recorded).toMatchObject({
        attributes: {
          'colophon.account.id': 'acc_a',
          'colophon.attempt': 3,
          'colophon.render.id': expect.stringMatching(/^render_/),
        },
        failed: expect.any(TypeError),
      });
    }
  });

  it('is not logged for an error of the document', async () => {
    const { dependencies, errors } = watched(refuses);
    await runRender(dependencies, await ask(dependencies, requested), 1);
    expect(errors()).toEqual([]);
  });
});

describe('A render with missing input', () => {
  const lacking = () => {
    const asked: PrintRequest[] = [];
    const get = async (sha256: string): Promise<Uint8Array> => {
      throw new BlobNotFound(sha256);
    };
    return { asked, dependencies: { ...dependenciesOf(asked), blobs: { get } } as unknown as RunRenderDependencies };
  };

  it('is not claimed, so that it loses no attempt, and is printed when the input is back', async () => {
    const { dependencies, asked } = lacking();
    const stream = await ask(dependencies, requested);
    for (const delivery of [1, 2, 3, 4, 20])
      await expect(runRender(dependencies, stream, delivery)).rejects.toThrow(BlobNotFound);
    expect((await store.read(stream)).map(({ type }) => type)).toEqual(['RenderRequested']);
    const mended = {
      ...dependenciesOf(asked),
      printer: { print: prints },
      blobs: { get: async () => Buffer.from('<p>x'), put: async () => ({ sha256: 'pdf', size: 4 }) },
    } as unknown as RunRenderDependencies;
    expect(await runRender(mended, stream, 21)).toEqual({ kind: 'done' });
    expect((await store.read(stream)).at(-1)).toMatchObject({ type: 'RenderCompleted', data: { attempt: 1 } });
  });

  it('fails with an internal error after an hour, and is refunded', async () => {
    const { dependencies, asked } = lacking();
    const stream = await ask(dependencies, requested);
    expect(await runRender(dependencies, stream, 100)).toEqual({ kind: 'done' });
    expect((await store.read(stream)).at(-1)).toMatchObject({
      type: 'RenderFailed',
      data: { error: { name: 'internal_error' }, quotaRefundDate: expect.stringMatching(/^\d{4}-/) },
    });
    expect(asked).toEqual([]);
  });

  it('waits for every input: template content, settings, data, header and footer', async () => {
    const ref = (sha256: string) => ({ sha256, size: 1 });
    const source = {
      mode: 'RENDER' as const,
      templateId: 't',
      templateVersion: 1,
      content: ref('content'),
      settings: ref('settings'),
      data: ref('data'),
    };
    const all = { ...requested, source, headerFooter: { header: ref('header'), footer: ref('footer') } };
    for (const lost of ['content', 'settings', 'data', 'header', 'footer']) {
      const { dependencies } = lacking();
      const get = async (sha256: string): Promise<Uint8Array> => {
        if (sha256 === lost) throw new BlobNotFound(sha256);
        return Buffer.from('{}');
      };
      const stream = await ask(dependencies, all);
      await expect(
        runRender({ ...dependencies, blobs: { get } } as unknown as RunRenderDependencies, stream, 1),
      ).rejects.toThrow(lost);
    }
  });

  it('waits with its regeneration or diagnosis, too', async () => {
    const good = { ...dependenciesOf([]), printer: { print: prints } } as unknown as RunRenderDependencies;
    const stream = await ask(good, requested);
    await runRender(good, stream, 1);
    const { aggregate } = await loadAggregate(good.eventLog, render, stream);
    await aggregate.execute({ type: 'requestPdfRegeneration', count: 1 }, cause);
    await aggregate.execute({ type: 'requestDiagnosis' }, cause);
    for (const job of [regeneratePdf, diagnoseRender])
      await expect(job(lacking().dependencies, stream, 3)).rejects.toThrow(BlobNotFound);
  });
});

it('A render that fails in a browser is counted with its render mode', async () => {
  const counted: Record<string, string>[] = [];
  setMetricsRecorder({
    add: (name, _, labels) => void (name === 'colophon.renders' && counted.push(labels)),
    record: () => undefined,
  });
  const dependencies = { ...dependenciesOf([]), printer: { print: refuses } } as unknown as RunRenderDependencies;
  await runRender(dependencies, await ask(dependencies, requested), 1);
  const unprepared = { ...dependencies, preparation: { prepare: refuses } } as unknown as RunRenderDependencies;
  await runRender(unprepared, await ask(unprepared, requested), 1);
  setMetricsRecorder(null);
  expect(counted.map(({ render_mode, outcome }) => [render_mode, outcome])).toEqual([
    ['static', 'failed'],
    ['none', 'failed'],
  ]);
});

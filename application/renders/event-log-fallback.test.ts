import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RenderEvent } from '#contracts/events/render.ts';
import { streams } from '#contracts/names.ts';
import { openPendingReplies } from '#libs/replies/pending-replies.ts';
import type { RenderReplies } from '#libs/replies/port.ts';
import { render } from '#libs/domain/render.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import { openSqliteEventStore } from '#libs/event-store/sqlite.ts';
import { newAggregate, type Cause, loadAggregate } from '#application/command-handling/aggregate.ts';
import { withEventLogFallback } from './event-log-fallback.ts';

type Data<T extends RenderEvent['type']> = Extract<RenderEvent, { type: T }>['data'];
const released = async <T extends RenderEvent['type']>(name: string): Promise<Data<T>> =>
  (
    JSON.parse(await readFile(new URL(`../../test/fixtures/events/${name}.json`, import.meta.url), 'utf8')) as {
      event: { data: Data<T> };
    }
  ).event.data;

let folder: string;
let store: EventStore;
let answers: RenderReplies & { close(): void };
const cause: Cause = {
  actor: { kind: 'person', name: 'tests' },
  accountId: 'A',
  correlationId: 'tests',
  causationId: null,
  traceparent: null,
};
const eventLog = () => ({ store, now: () => new Date() });
const quick = { initialDelayMs: 5, pollIntervalMs: 5, regenerationTimeoutMs: 60_000 };
const open = (): null => null;
const never = new AbortController().signal;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-answers-'));
  store = openSqliteEventStore(join(folder, 'log.db'));
  answers = withEventLogFallback(openPendingReplies(), eventLog(), open, quick);
});
afterEach(async () => {
  answers.close();
  await store.close();
  await rm(folder, { recursive: true });
});

const begun = async (id: string) => {
  const aggregate = newAggregate(eventLog(), render, streams.render(id));
  await aggregate.execute(
    { type: 'request', data: await released<'RenderRequested'>('RenderRequested.v1.convert') },
    cause,
  );
  await aggregate.execute({ type: 'claim', attempt: 1, worker: 'tests', queueMs: 0 }, cause);
  return aggregate;
};
const typesOf = async (id: string): Promise<string[]> => (await store.read(streams.render(id))).map(({ type }) => type);

describe('A caller that waits for a render', () => {
  it('gets a failure from the event log if its message was lost', async () => {
    const aggregate = await begun('a');
    const answer = answers.wait('a', never);
    const error = { name: 'invalid_html' as const, message: 'wrong', extra: { line: 1 } };
    await aggregate.execute(
      { type: 'fail', data: { attempt: 1, error, responseMode: 'wait', totalMs: 1, quotaRefundDate: null } },
      cause,
    );
    expect(await answer).toEqual({ status: 'FAILED', error });
  });

  it('gets a PDF regenerated once if its message was lost', async () => {
    const aggregate = await begun('a');
    const waiting = [answers.wait('a', never), answers.wait('a', never)];
    await aggregate.execute({ type: 'complete', data: await released<'RenderCompleted'>('RenderCompleted.v1') }, cause);
    await expect.poll(() => typesOf('a')).toContain('PdfRegenerationRequested');
    const looks = Promise.withResolvers<void>();
    let left = 5;
    const counting: EventStore = {
      ...store,
      read: async (...given) => (left-- === 0 ? looks.resolve() : undefined, store.read(...given)),
    };
    const other = withEventLogFallback(openPendingReplies(), { ...eventLog(), store: counting }, open, quick);
    void other.wait('a', never);
    await looks.promise;
    other.close();
    expect((await typesOf('a')).filter((type) => type === 'PdfRegenerationRequested')).toHaveLength(1);
    answers.send('a', { status: 'DONE', pdf: Buffer.from('%PDF'), pages: 1, durationMs: 1, warnings: [] });
    expect((await Promise.all(waiting)).map((one) => one?.status)).toEqual(['DONE', 'DONE']);
  });

  it('gets a PDF regenerated although the clock was set back by an hour after an earlier request', async () => {
    const aggregate = await begun('a');
    await aggregate.execute({ type: 'complete', data: await released<'RenderCompleted'>('RenderCompleted.v1') }, cause);
    await aggregate.execute({ type: 'requestPdfRegeneration', count: 1 }, cause);
    const later = withEventLogFallback(
      openPendingReplies(),
      { store, now: () => new Date(Date.now() - 3_600_000) },
      open,
      quick,
    );
    void later.wait('a', never);
    await expect
      .poll(async () => (await typesOf('a')).filter((type) => type === 'PdfRegenerationRequested'))
      .toHaveLength(2);
    later.close();
  });

  it('keeps waiting while the event log has no outcome or cannot be read', async () => {
    await begun('a');
    let fails = 3;
    const failing: EventStore = {
      ...store,
      read: (...given) => (fails-- > 0 ? Promise.reject(new Error('away')) : store.read(...given)),
    };
    const replies = withEventLogFallback(openPendingReplies(), { ...eventLog(), store: failing }, open, quick);
    const answer = replies.wait('a', never);
    await expect.poll(() => fails).toBeLessThan(-2);
    const { aggregate } = await loadAggregate(eventLog(), render, streams.render('a'));
    await aggregate.execute(
      {
        type: 'fail',
        data: {
          attempt: 1,
          error: { name: 'internal_error', message: 'x', extra: {} },
          responseMode: 'wait',
          totalMs: 1,
          quotaRefundDate: null,
        },
      },
      cause,
    );
    expect((await answer)?.status).toBe('FAILED');
    replies.close();
  });

  it('gets the reason if the service stops serving callers', async () => {
    await begun('a');
    let closed: string | null = null;
    const closing = withEventLogFallback(openPendingReplies(), eventLog(), () => closed, quick);
    const answer = closing.wait('a', never);
    closed = 'The event log is older.';
    expect(await answer).toMatchObject({ status: 'FAILED', error: { name: 'service_unavailable', message: closed } });
    closing.close();
  });

  it('can stop waiting', async () => {
    const leaving = new AbortController();
    const answer = answers.wait('a', leaving.signal);
    leaving.abort();
    expect(await answer).toBeNull();
  });
});

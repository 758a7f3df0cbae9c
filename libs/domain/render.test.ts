import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventData } from '#contracts/events/event-schemas.ts';
import type { RenderEvent } from '#contracts/events/render.ts';
import { fold } from './decider.ts';
import { given, historyOf } from './testing/given.ts';
import { maxAttempts, maxRegenerations, maxVerifications, nextAttempt, render, type RenderCommand } from './render.ts';

const blob = { sha256: 'ab'.repeat(32), size: 10 };
const request: EventData['RenderRequested'] = {
  accountId: 'acc_1',
  keyId: 'key_1',
  keyType: 'live',
  source: { mode: 'CONVERT', inputType: 'html', input: blob },
  options: {
    page_size: 'A4',
    orientation: 'portrait',
    margin_top: 20,
    margin_bottom: 20,
    margin_left: 15,
    margin_right: 15,
    header_height: 10,
    footer_height: 10,
    print_background: true,
    scale: 1,
    wait_for: 'load',
    wait_time: 0,
    emulate_media: 'print',
  },
  headerFooter: { header: null, footer: null },
  limits: { processingMs: 30_000, scriptMs: 5_000, maxPages: 100, maxImages: 50, maxPdfBytes: 1_000_000 },
  templateTest: false,
  responseMode: { kind: 'poll', estimatedMs: 20 },
};
const expiry = '2026-01-02T04:04:05.000Z';
const completion = (attempt: number): EventData['RenderCompleted'] => ({
  attempt,
  input: 'html',
  pdf: blob,
  responseMode: 'poll',
  keptUntil: expiry,
  pages: 1,
  renderMode: 'static',
  renderModeReason: 'no script',
  engine: 'chromium',
  warnings: [],
  durations: { queueMs: 1, prepareMs: 1, waitMs: 1, loadMs: 1, printMs: 1, totalMs: 5 },
});
const failure = (attempt: number): EventData['RenderFailed'] => ({
  attempt,
  error: { name: 'conversion_failed', message: 'no', extra: {} },
  responseMode: 'poll',
  totalMs: 5,
  quotaRefundDate: null,
});

const requested: RenderEvent = { type: 'RenderRequested', data: request };
const started = (attempt: number): RenderEvent => ({
  type: 'RenderStarted',
  data: { attempt, worker: 'one', queueMs: 0 },
});
const completed = (attempt: number): RenderEvent => ({ type: 'RenderCompleted', data: completion(attempt) });
const failed = (attempt: number): RenderEvent => ({ type: 'RenderFailed', data: failure(attempt) });

const claim = (attempt: number): RenderCommand => ({ type: 'claim', attempt, worker: 'one', queueMs: 0 });
const complete = (attempt: number): RenderCommand => ({ type: 'complete', data: completion(attempt) });
const erase: RenderCommand = { type: 'erasePdf', now: new Date(expiry) };
const fail = (attempt: number): RenderCommand => ({ type: 'fail', data: failure(attempt) });

describe('A render', () => {
  it('is requested once', () => {
    expect(given(render).when({ type: 'request', data: request })).toEqual([requested]);
    expect(given(render, requested).when({ type: 'request', data: request })).toEqual([]);
  });

  it('is claimed by a worker', () => {
    expect(given(render, requested).when(claim(1))).toEqual([started(1)]);
  });

  it('cannot be claimed before it is requested', () => {
    expect(given(render).when(claim(1))).toEqual([]);
  });

  it('is claimed once per attempt, in order', () => {
    expect(given(render, requested, started(1)).when(claim(1))).toEqual([]);
    expect(given(render, requested, started(1)).when(claim(3))).toEqual([]);
    expect(given(render, requested, started(1)).when(claim(2))).toEqual([started(2)]);
  });

  it('has no fourth attempt', () => {
    const thrice = [requested, started(1), started(2), started(3)];
    expect(given(render, ...thrice).when(claim(4))).toEqual([]);
    expect(nextAttempt(fold(render, thrice))).toBe(null);
    expect(given(render, ...thrice).when(fail(3))).toEqual([failed(3)]);
  });

  it('ends with a PDF or an error after it was claimed', () => {
    expect(given(render, requested, started(1)).when(complete(1))).toEqual([completed(1)]);
    expect(given(render, requested, started(1)).when(fail(1))).toEqual([failed(1)]);
    expect(given(render, requested).when(complete(1))).toEqual([]);
    expect(given(render, requested).when(fail(1))).toEqual([]);
  });

  it('cannot be failed by a worker that has lost it to another worker', () => {
    expect(given(render, requested, started(1), started(2)).when(fail(1))).toEqual([]);
  });

  it('can be completed by a worker that has lost it to another worker', () => {
    expect(given(render, requested, started(1), started(2)).when(complete(1))).toEqual([completed(1)]);
  });

  it('has its stored PDF erased once', () => {
    const erased: RenderEvent = { type: 'PdfErased', data: { sha256: blob.sha256 } };
    expect(given(render, requested, started(1), completed(1)).when(erase)).toEqual([erased]);
    expect(given(render, requested, started(1), completed(1), erased).when(erase)).toEqual([]);
    expect(
      given(render, requested, started(1), {
        type: 'RenderCompleted',
        data: { ...completion(1), keptUntil: null },
      }).when(erase),
    ).toEqual([]);
    expect(given(render, requested, started(1), failed(1)).when(erase)).toEqual([]);
  });

  it('keeps its stored PDF until its time is over', () => {
    const early: RenderCommand = { type: 'erasePdf', now: new Date(Date.parse(expiry) - 1) };
    expect(given(render, requested, started(1), completed(1)).when(early)).toEqual([]);
  });

  it('that another worker has completed with another PDF has the unused one discarded, and erased later', () => {
    const discard = (pdf: typeof blob): RenderCommand => ({ type: 'discardPdf', data: { pdf, eraseAfter: expiry } });
    const other = { sha256: 'other', size: 1 };
    const ended = [requested, started(1), started(2), completed(2)];
    const discarded: RenderEvent = { type: 'PdfDiscarded', data: { pdf: other, eraseAfter: expiry } };
    const erased = (sha256: string): RenderEvent => ({ type: 'PdfErased', data: { sha256 } });
    expect(given(render, ...ended).when(discard(blob))).toEqual([]);
    expect(given(render, ...ended).when(discard(other))).toEqual([discarded]);
    expect(given(render, ...ended, discarded).when(erase)).toEqual([erased(blob.sha256)]);
    expect(given(render, ...ended, erased(blob.sha256), discarded).when(erase)).toEqual([erased('other')]);
    expect(given(render, ...ended, discarded, erased(blob.sha256)).when(erase)).toEqual([]);
  });

  it('that has failed has its stored PDF discarded and erased', () => {
    const data = { pdf: blob, eraseAfter: expiry };
    const discard: RenderCommand = { type: 'discardPdf', data };
    const discarded: RenderEvent = { type: 'PdfDiscarded', data };
    const ended = [requested, started(1), failed(1)];
    expect(given(render, ...ended).when(discard)).toEqual([discarded]);
    expect(given(render, ...ended, discarded).when(discard)).toEqual([]);
    expect(given(render, ...ended, discarded).when(erase)).toEqual([
      { type: 'PdfErased', data: { sha256: blob.sha256 } },
    ]);
    expect(
      given(render, ...ended, discarded, { type: 'PdfErased', data: { sha256: blob.sha256 } }).when(erase),
    ).toEqual([]);
    for (const history of [[], [requested], [requested, started(1)], [requested, started(1), completed(1)]])
      expect(given(render, ...history).when(discard)).toEqual([]);
  });

  it('regenerates its PDF once for concurrent requests, and at most five times', () => {
    const ask = (count: number): RenderCommand => ({ type: 'requestPdfRegeneration', count });
    const again: RenderEvent = { type: 'PdfRegenerationRequested', data: {} };
    const ended = [requested, started(1), completed(1)];
    for (let count = 1; count <= maxRegenerations + 1; count += 1) {
      const asked = Array.from({ length: count - 1 }, () => again);
      expect(given(render, ...ended, ...asked).when(ask(count))).toEqual(count <= maxRegenerations ? [again] : []);
      if (count > 1) expect(given(render, ...ended, ...asked).when(ask(count - 1))).toEqual([]);
    }
    for (const history of [[], [requested], [requested, started(1)], [requested, started(1), failed(1)]])
      expect(given(render, ...history).when(ask(1))).toEqual([]);
  });

  it('stores a regenerated PDF until it is erased, and ends each regeneration once', () => {
    const kept: RenderEvent = {
      type: 'PdfRegenerationEnded',
      data: { pdf: blob, keptUntil: expiry },
    };
    const asked: RenderEvent[] = [
      requested,
      started(1),
      { type: 'RenderCompleted', data: { ...completion(1), keptUntil: null } },
      { type: 'PdfRegenerationRequested', data: {} },
    ];
    const end: RenderCommand = { type: 'endPdfRegeneration', data: kept.data };
    expect(given(render, ...asked).when(erase)).toEqual([]);
    expect(given(render, ...asked).when(end)).toEqual([kept]);
    expect(given(render, ...asked, kept).when(end)).toEqual([]);
    expect(given(render, ...asked, kept).when(erase)).toEqual([{ type: 'PdfErased', data: { sha256: blob.sha256 } }]);
    expect(given(render, ...asked.slice(0, 3)).when(end)).toEqual([]);
  });

  it('is verified once for concurrent requests, and at most twenty times', () => {
    const ask = (count: number): RenderCommand => ({ type: 'requestVerification', count, keepPdf: true });
    const asked: RenderEvent = { type: 'VerificationRequested', data: { keepPdf: true } };
    const ended = [requested, started(1), completed(1)];
    for (let count = 1; count <= maxVerifications + 1; count += 1) {
      const before = Array.from({ length: count - 1 }, () => asked);
      expect(given(render, ...ended, ...before).when(ask(count))).toEqual(count <= maxVerifications ? [asked] : []);
      if (count > 1) expect(given(render, ...ended, ...before).when(ask(count - 1))).toEqual([]);
    }
    for (const history of [[], [requested], [requested, started(1)], [requested, started(1), failed(1)]])
      expect(given(render, ...history).when(ask(1))).toEqual([]);
  });

  it('stores a verified PDF until it is erased, and ends each verification once', () => {
    const verified: RenderEvent = {
      type: 'RenderVerified',
      data: {
        outcome: { kind: 'rendered', pdf: blob, pages: 1, engine: 'none', firstDifference: null },
        keptUntil: expiry,
      },
    };
    const asked: RenderEvent[] = [
      requested,
      started(1),
      { type: 'RenderCompleted', data: { ...completion(1), keptUntil: null } },
      { type: 'VerificationRequested', data: { keepPdf: true } },
    ];
    const end: RenderCommand = { type: 'endVerification', data: verified.data };
    expect(given(render, ...asked).when(end)).toEqual([verified]);
    expect(given(render, ...asked, verified).when(end)).toEqual([]);
    expect(given(render, ...asked, verified).when(erase)).toEqual([
      { type: 'PdfErased', data: { sha256: blob.sha256 } },
    ]);
    expect(given(render, ...asked.slice(0, 3)).when(end)).toEqual([]);
  });

  it.each([[completed(1)], [failed(1)]])('is diagnosed once after %o', (end) => {
    const asked: RenderEvent = { type: 'DiagnosisRequested', data: {} };
    const diagnosed: RenderEvent = { type: 'RenderDiagnosed', data: { diagnosis: blob } };
    const ask: RenderCommand = { type: 'requestDiagnosis' };
    const diagnose: RenderCommand = { type: 'diagnose', data: { diagnosis: blob } };
    expect(given(render, requested, started(1), end).when(ask)).toEqual([asked]);
    expect(given(render, requested, started(1), end, asked).when(diagnose)).toEqual([diagnosed]);
    for (const command of [ask, diagnose]) {
      expect(given(render, requested, started(1), end, asked, diagnosed).when(command)).toEqual([]);
      for (const history of [[], [requested], [requested, started(1)]])
        expect(given(render, ...history).when(command)).toEqual([]);
    }
  });

  it.each([[completed(1)], [failed(1)]])('has ended after %o', (end) => {
    for (const command of [claim(1), claim(2), complete(1), fail(1)])
      expect(given(render, requested, started(1), end).when(command)).toEqual([]);
  });
});

describe('After any commands, a render', () => {
  const attempt = fc.integer({ min: 0, max: maxAttempts + 1 });
  const command = fc.oneof(
    fc.constantFrom<RenderCommand>({ type: 'request', data: request }, erase),
    attempt.map(claim),
    attempt.map(complete),
    attempt.map(fail),
  );
  const history = fc.array(command, { maxLength: 30 }).map((commands) => historyOf(render, commands));

  it('is requested first and ends at most once', () => {
    fc.assert(
      fc.property(history, (events) => {
        const types = events.map(({ type }) => type);
        const end = types.findIndex((type) => type === 'RenderCompleted' || type === 'RenderFailed');
        expect(types.indexOf('RenderRequested')).toBe(types.length === 0 ? -1 : 0);
        expect(types.lastIndexOf('RenderRequested')).toBeLessThanOrEqual(0);
        const afterwards = end === -1 ? [] : types.slice(end + 1).filter((type) => type !== 'PdfErased');
        expect(afterwards).toEqual([]);
      }),
    );
  });

  it('has at most three attempts, numbered from 1', () => {
    fc.assert(
      fc.property(history, (events) => {
        const attempts = events.flatMap((event) => (event.type === 'RenderStarted' ? [event.data.attempt] : []));
        expect(attempts).toEqual([1, 2, 3].slice(0, attempts.length));
      }),
    );
  });

  it('ignores a repeated command', () => {
    fc.assert(
      fc.property(history, command, (events, repeated) => {
        expect(given(render, ...events, ...given(render, ...events).when(repeated)).when(repeated)).toEqual([]);
      }),
    );
  });
});

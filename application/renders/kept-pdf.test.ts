import { expect, test } from 'vitest';
import { streams } from '#contracts/names.ts';
import { openEmbeddedEngines } from '../../test/support/api/embedded-engines.ts';
import { loadAggregate } from '#application/command-handling/aggregate.ts';
import { render } from '#libs/domain/render.ts';
import { findKeptPdf, secondPdfKeptUntil } from './kept-pdf.ts';

const minutesMs = 60_000;

test('A PDF that was lost is stored again for the rest of its time, and any other second one for at most an hour', async () => {
  const { engines, clock, advanceClock, recordCompletedRender } = await openEmbeddedEngines();
  const { id } = await recordCompletedRender();
  const history = await engines.store.read(streams.render(id));
  const minutesUntil = (until: string, from: number): number => (Date.parse(until) - from) / minutesMs;
  const start = clock.now.getTime();
  // It was recorded to be kept for an hour.
  expect(minutesUntil(secondPdfKeptUntil({ pdfRetentionMinutes: 10 }, history, clock.now), start)).toBe(60);
  advanceClock(30 * minutesMs);
  expect(minutesUntil(secondPdfKeptUntil({ pdfRetentionMinutes: 600 }, history, clock.now), start)).toBe(90);
  advanceClock(40 * minutesMs);
  expect(minutesUntil(secondPdfKeptUntil({ pdfRetentionMinutes: 10 }, history, clock.now), start)).toBe(80);
});

test('A PDF that was lost, stored again and lost again is not called expired, but one that only a second rendering keeps is', async () => {
  const { engines, eventLog, clock, advanceClock, recordCompletedRender } = await openEmbeddedEngines();
  const { id } = await recordCompletedRender();
  const stream = streams.render(id);
  const cause = {
    actor: { kind: 'service', name: 'tests' } as const,
    accountId: 'a',
    correlationId: 'c',
    causationId: null,
    traceparent: null,
  };
  const storeAgain = async (count: number): Promise<void> => {
    const { aggregate, history } = await loadAggregate(eventLog, render, stream);
    const { pdf, pages, engine } = history.find((event) => event.type === 'RenderCompleted')!.data;
    await aggregate.execute({ type: 'requestVerification', count, keepPdf: true }, cause);
    const outcome = { kind: 'rendered' as const, pdf, pages, engine, firstDifference: null };
    const keptUntil = secondPdfKeptUntil({}, history, clock.now);
    await aggregate.execute({ type: 'endVerification', data: { outcome, keptUntil } }, cause);
  };
  const found = async () => {
    const kept = await findKeptPdf({ has: async () => false }, await engines.store.read(stream), clock.now);
    return kept.kind === 'kept' ? [kept.kind, kept.second] : [kept.kind];
  };
  await storeAgain(1);
  expect(await found()).toEqual(['kept', 'being stored']);
  advanceClock(2 * minutesMs);
  expect(await found()).toEqual(['kept', undefined]);
  await storeAgain(2);
  advanceClock(2 * minutesMs);
  expect(await found()).toEqual(['expired']);
});

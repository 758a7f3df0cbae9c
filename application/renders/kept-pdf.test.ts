import { expect, test } from 'vitest';
import { streams } from '#contracts/names.ts';
import { openEmbeddedEngines } from '../../test/support/api/embedded-engines.ts';
import { secondPdfKeptUntil } from './kept-pdf.ts';

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

import { describe, expect, test } from 'vitest';
import { readModels, streams } from '#contracts/names.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { eraseExpiredPdfs } from '../../services/sweeper/erase.ts';
import { runSweeper } from '../../services/sweeper/sweeper.ts';
import { waitUntil } from '../support/wait-until.ts';
import { openEmbeddedEngines, pollResponseMode, type EmbeddedEngines } from '../support/api/embedded-engines.ts';

const hourMs = 3_600_000;

const partsOf = ({ eventLog: log, engines: { reads, blobs } }: EmbeddedEngines) => ({ eventLog: log, reads, blobs });

describe('A PDF', () => {
  test('is erased when its hour is over, and not a moment before; its hash stays', async () => {
    const stage = await openEmbeddedEngines();
    const { id, sha256 } = await stage.recordCompletedRender(pollResponseMode);
    await stage.catchUpReadModels();
    stage.advanceClock(hourMs);
    expect(await eraseExpiredPdfs(partsOf(stage))).toBe(0);
    expect(await stage.engines.blobs.has(sha256)).toBe(true);
    stage.advanceClock(1);
    expect(await eraseExpiredPdfs(partsOf(stage))).toBe(1);
    expect(await stage.engines.blobs.has(sha256)).toBe(false);
    expect((await stage.eventTypesIn(streams.render(id))).at(-1)).toBe('PdfErased');
    await stage.catchUpReadModels();
    expect(await eraseExpiredPdfs(partsOf(stage))).toBe(0);
    expect(((await stage.engines.reads.get(readModels.renders, id)) as RenderDocument).pdf).toMatchObject({ sha256 });
  });

  test('stays while a later render has the same bytes', async () => {
    const stage = await openEmbeddedEngines();
    const first = await stage.recordCompletedRender(pollResponseMode, 'same');
    stage.advanceClock(1_000);
    const second = await stage.recordCompletedRender(pollResponseMode, 'same');
    await stage.catchUpReadModels();
    stage.advanceClock(hourMs - 999);
    expect(await eraseExpiredPdfs(partsOf(stage))).toBe(1);
    expect(await stage.engines.blobs.has(first.sha256)).toBe(true);
    await stage.catchUpReadModels();
    stage.advanceClock(1_000);
    expect(await eraseExpiredPdfs(partsOf(stage))).toBe(1);
    expect(await stage.engines.blobs.has(second.sha256)).toBe(false);
  });

  test('is erased by the next sweep where a crash came between the bytes and the event', async () => {
    const stage = await openEmbeddedEngines();
    const { id, sha256 } = await stage.recordCompletedRender(pollResponseMode);
    await stage.catchUpReadModels();
    stage.advanceClock(hourMs + 1);
    await stage.engines.blobs.delete(sha256);
    expect(await eraseExpiredPdfs(partsOf(stage))).toBe(1);
    expect((await stage.eventTypesIn(streams.render(id))).filter((type) => type === 'PdfErased')).toHaveLength(1);
  });
});

test('A sweep that fails is reported, does not keep the other from its work, and the next one tries again', async () => {
  const stage = await openEmbeddedEngines();
  const { sha256 } = await stage.recordCompletedRender(pollResponseMode);
  await stage.catchUpReadModels();
  stage.advanceClock(hourMs + 1);
  const stop = new AbortController();
  const reports: string[] = [];
  const { reads } = stage.engines;
  const find: ReadStore['find'] = (collection, query) =>
    collection === readModels.deliveries ? Promise.reject(new Error('no deliveries')) : reads.find(collection, query);
  const sweeping = runSweeper(
    { ...partsOf(stage), reads: { ...reads, find } },
    (_, message) => void reports.push(message),
    stop.signal,
    1,
  );
  await waitUntil('the PDF is gone', async () => !(await stage.engines.blobs.has(sha256)));
  await waitUntil('it tries again', () => reports.length > 1);
  stop.abort();
  await sweeping;
  expect(new Set(reports)).toEqual(new Set(['sweep failed; the next one tries again']));
});

import { describe, expect, test } from 'vitest';
import { readModels, streams } from '#contracts/names.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { erasePdfs } from '../../services/sweeper/erase.ts';
import { runSweeper } from '../../services/sweeper/sweeper.ts';
import { until } from '../e2e/until.ts';
import { openStage, poll, type Stage } from './stage.ts';

const hourMs = 3_600_000;

const partsOf = ({ log, engines: { reads, blobs } }: Stage) => ({ log, reads, blobs });

describe('A PDF', () => {
  test('is erased when its hour is over, and not a moment before; its hash stays', async () => {
    const stage = await openStage();
    const { id, sha256 } = await stage.completed(poll);
    await stage.settled();
    stage.pass(hourMs);
    expect(await erasePdfs(partsOf(stage))).toBe(0);
    expect(await stage.engines.blobs.has(sha256)).toBe(true);
    stage.pass(1);
    expect(await erasePdfs(partsOf(stage))).toBe(1);
    expect(await stage.engines.blobs.has(sha256)).toBe(false);
    expect((await stage.typesOf(streams.render(id))).at(-1)).toBe('PdfErased');
    await stage.settled();
    expect(await erasePdfs(partsOf(stage))).toBe(0);
    expect(((await stage.engines.reads.get(readModels.renders, id)) as RenderDocument).pdf).toMatchObject({ sha256 });
  });

  test('stays while a later render has the same bytes', async () => {
    const stage = await openStage();
    const first = await stage.completed(poll, 'same');
    stage.pass(1_000);
    const second = await stage.completed(poll, 'same');
    await stage.settled();
    stage.pass(hourMs - 999);
    expect(await erasePdfs(partsOf(stage))).toBe(1);
    expect(await stage.engines.blobs.has(first.sha256)).toBe(true);
    await stage.settled();
    stage.pass(1_000);
    expect(await erasePdfs(partsOf(stage))).toBe(1);
    expect(await stage.engines.blobs.has(second.sha256)).toBe(false);
  });

  test('is erased by the next sweep where a crash came between the bytes and the event', async () => {
    const stage = await openStage();
    const { id, sha256 } = await stage.completed(poll);
    await stage.settled();
    stage.pass(hourMs + 1);
    await stage.engines.blobs.delete(sha256);
    expect(await erasePdfs(partsOf(stage))).toBe(1);
    expect((await stage.typesOf(streams.render(id))).filter((type) => type === 'PdfErased')).toHaveLength(1);
  });
});

test('A sweep that fails is reported, does not keep the other from its work, and the next one tries again', async () => {
  const stage = await openStage();
  const { sha256 } = await stage.completed(poll);
  await stage.settled();
  stage.pass(hourMs + 1);
  const stop = new AbortController();
  const reports: string[] = [];
  const { reads } = stage.engines;
  const find: ReadStore['find'] = (collection, query) => (collection === readModels.deliveries ? Promise.reject(new Error('no deliveries')) : reads.find(collection, query));
  const sweeping = runSweeper({ ...partsOf(stage), reads: { ...reads, find } }, (_, message) => void reports.push(message), stop.signal, 1);
  await until('the PDF is gone', async () => !(await stage.engines.blobs.has(sha256)));
  await until('it tries again', () => reports.length > 1);
  stop.abort();
  await sweeping;
  expect(new Set(reports)).toEqual(new Set(['a sweep failed; the next one tries again']));
});

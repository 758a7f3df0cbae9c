import { createHash } from 'node:crypto';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ResponseMode } from '#contracts/events/render-request.ts';
import { readModels, streams } from '#contracts/names.ts';
import { loadAggregate } from '#application/command-handling/aggregate.ts';
import { render } from '#libs/domain/render.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { eraseExpiredPdfs } from '../../services/sweeper/erase.ts';
import { runSweeper } from '../../services/sweeper/sweeper.ts';
import { waitUntil } from '../support/wait-until.ts';
import { openEmbeddedEngines, pollResponseMode, type EmbeddedEngines } from '../support/api/embedded-engines.ts';

const hourMs = 3_600_000;

const dependenciesOf = ({ eventLog, engines: { reads, blobs } }: EmbeddedEngines) => ({ eventLog, reads, blobs });

/** Read models that are up to date with the event log when they are waited for. */
const projectedReads = ({ engines: { reads }, catchUpReadModels }: EmbeddedEngines): ReadStore => ({
  ...reads,
  waitForCheckpoint: async (...given) => {
    await catchUpReadModels();
    return reads.waitForCheckpoint(...given);
  },
});

describe('A stored PDF', () => {
  test('is erased when its hour is over and not before, and its hash stays', async () => {
    const embedded = await openEmbeddedEngines();
    const { id, sha256 } = await embedded.recordCompletedRender(pollResponseMode);
    await embedded.catchUpReadModels();
    embedded.advanceClock(hourMs);
    expect(await eraseExpiredPdfs(dependenciesOf(embedded))).toBe(0);
    expect(await embedded.engines.blobs.has(sha256)).toBe(true);
    embedded.advanceClock(1);
    expect(await eraseExpiredPdfs(dependenciesOf(embedded))).toBe(1);
    expect(await embedded.engines.blobs.has(sha256)).toBe(false);
    expect((await embedded.eventTypesIn(streams.render(id))).at(-1)).toBe('PdfErased');
    await embedded.catchUpReadModels();
    expect(await eraseExpiredPdfs(dependenciesOf(embedded))).toBe(0);
    expect(((await embedded.engines.reads.get(readModels.renders, id)) as RenderDocument).pdf).toMatchObject({
      sha256,
    });
  });

  test('stays stored while a later render has the same bytes', async () => {
    const embedded = await openEmbeddedEngines();
    const first = await embedded.recordCompletedRender(pollResponseMode, 'same');
    embedded.advanceClock(1_000);
    const second = await embedded.recordCompletedRender(pollResponseMode, 'same');
    await embedded.catchUpReadModels();
    embedded.advanceClock(hourMs - 999);
    expect(await eraseExpiredPdfs(dependenciesOf(embedded))).toBe(1);
    expect(await embedded.engines.blobs.has(first.sha256)).toBe(true);
    await embedded.catchUpReadModels();
    embedded.advanceClock(1_000);
    expect(await eraseExpiredPdfs(dependenciesOf(embedded))).toBe(1);
    expect(await embedded.engines.blobs.has(second.sha256)).toBe(false);
  });

  test('stays stored while a render that the read model does not know yet has the same bytes', async () => {
    const embedded = await openEmbeddedEngines();
    await embedded.recordCompletedRender(pollResponseMode, 'same');
    await embedded.catchUpReadModels();
    embedded.advanceClock(hourMs + 1);
    const { sha256 } = await embedded.recordCompletedRender(pollResponseMode, 'same');
    const { reads, blobs } = embedded.engines;
    const lagging: ReadStore = { ...reads, waitForCheckpoint: async () => false };
    const sweeping = eraseExpiredPdfs({ ...dependenciesOf(embedded), reads: lagging });
    await expect(sweeping).rejects.toThrow('the read model is behind the event log');
    expect(await eraseExpiredPdfs({ ...dependenciesOf(embedded), reads: projectedReads(embedded) })).toBe(1);
    expect(await blobs.has(sha256)).toBe(true);
  });

  test('stays stored while a render that ends during the sweep has the same bytes', async () => {
    const embedded = await openEmbeddedEngines();
    await embedded.recordCompletedRender(pollResponseMode, 'same');
    await embedded.catchUpReadModels();
    embedded.advanceClock(hourMs + 1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hourMs });
    onTestFinished(() => void vi.useRealTimers());
    const { reads, blobs } = embedded.engines;
    let later: { sha256: string } | undefined;
    const find: ReadStore['find'] = async (collection, query) => {
      const found = await reads.find(collection, query);
      if (query.where['pdf.sha256'] !== undefined)
        later ??= await embedded.recordCompletedRender(pollResponseMode, 'same');
      return found;
    };
    expect(await eraseExpiredPdfs({ ...dependenciesOf(embedded), reads: { ...reads, find } })).toBe(0);
    expect(await blobs.has(later!.sha256)).toBe(true);
    await embedded.catchUpReadModels();
    expect(await eraseExpiredPdfs(dependenciesOf(embedded))).toBe(1);
    expect(await blobs.has(later!.sha256)).toBe(true);
  });

  test('stays stored if the read model is emptied before it could say that a later render has the same bytes', async () => {
    const embedded = await openEmbeddedEngines();
    await embedded.recordCompletedRender(pollResponseMode, 'same');
    embedded.advanceClock(1_000);
    const { sha256 } = await embedded.recordCompletedRender(pollResponseMode, 'same');
    await embedded.catchUpReadModels();
    embedded.advanceClock(hourMs - 999);
    const { reads, blobs } = embedded.engines;
    let isEmptied = false;
    const find: ReadStore['find'] = async (...query) => {
      const found = isEmptied ? [] : await reads.find(...query);
      isEmptied = true;
      return found;
    };
    const checkpoint = async (model: string): Promise<number> => (isEmptied ? 0 : reads.checkpoint(model));
    const sweeping = eraseExpiredPdfs({ ...dependenciesOf(embedded), reads: { ...reads, find, checkpoint } });
    await expect(sweeping).rejects.toThrow('the read model was emptied meanwhile');
    expect(await blobs.has(sha256)).toBe(true);
  });

  test('stays stored while one of very many other renders with the same bytes is kept', async () => {
    const embedded = await openEmbeddedEngines();
    const record = (mode: ResponseMode) => embedded.recordCompletedRender(mode, 'same');
    const recordUnkept = async (): Promise<void> => {
      embedded.advanceClock(1);
      await Promise.all(Array.from({ length: 500 }, () => record({ kind: 'wait' })));
      embedded.advanceClock(1);
    };
    await record(pollResponseMode);
    await recordUnkept();
    const { sha256 } = await record(pollResponseMode);
    await recordUnkept();
    await embedded.catchUpReadModels();
    embedded.advanceClock(hourMs - 3);
    expect(await eraseExpiredPdfs(dependenciesOf(embedded))).toBe(1);
    expect(await embedded.engines.blobs.has(sha256)).toBe(true);
  });

  test('is erased without reading the earlier renders with the same bytes, of which there can be any number', async () => {
    const embedded = await openEmbeddedEngines();
    await Promise.all(Array.from({ length: 100 }, () => embedded.recordCompletedRender({ kind: 'wait' }, 'same')));
    await embedded.recordCompletedRender(pollResponseMode, 'same');
    await embedded.catchUpReadModels();
    embedded.advanceClock(hourMs + 1);
    const { reads } = embedded.engines;
    let read = 0;
    const find: ReadStore['find'] = async (...query) => {
      const found = await reads.find(...query);
      read += found.length;
      return found;
    };
    expect(await eraseExpiredPdfs({ ...dependenciesOf(embedded), reads: { ...reads, find } })).toBe(1);
    expect(read).toBe(1);
  });

  test('stays stored when it is kept again after the sweep has found it', async () => {
    const embedded = await openEmbeddedEngines();
    const { eventLog, cause, engines } = embedded;
    const { id, sha256 } = await embedded.recordCompletedRender(pollResponseMode);
    await embedded.catchUpReadModels();
    embedded.advanceClock(hourMs + 1);
    const keepAgain = async (): Promise<void> => {
      const { aggregate } = await loadAggregate(eventLog, render, streams.render(id));
      await aggregate.execute({ type: 'requestVerification', count: 1, keepPdf: true }, cause);
      const pdf = await engines.blobs.put(Buffer.from('a PDF'));
      const outcome = { kind: 'rendered', pdf, pages: 1, engine: 'tests', firstDifference: null } as const;
      const keptUntil = new Date(eventLog.now().getTime() + hourMs).toISOString();
      await aggregate.execute({ type: 'endVerification', data: { outcome, keptUntil } }, cause);
    };
    const find: ReadStore['find'] = async (collection, query) => {
      const found = await engines.reads.find(collection, query);
      if (query.range?.by === 'keptUntil') await keepAgain();
      return found;
    };
    expect(await eraseExpiredPdfs({ ...dependenciesOf(embedded), reads: { ...engines.reads, find } })).toBe(0);
    expect(await engines.blobs.has(sha256)).toBe(true);
    expect((await embedded.eventTypesIn(streams.render(id))).at(-1)).toBe('RenderVerified');
  });

  test('is erased although more than a page of older ones cannot be, which are reported and tried again', async () => {
    const embedded = await openEmbeddedEngines();
    const recordBad = (_: unknown, index: number) => embedded.recordCompletedRender(pollResponseMode, `bad ${index}`);
    const bad = await Promise.all(Array.from({ length: 501 }, recordBad));
    embedded.advanceClock(1);
    const { sha256 } = await embedded.recordCompletedRender(pollResponseMode, 'good');
    embedded.advanceClock(hourMs + 1);
    const { blobs } = embedded.engines;
    const dependencies = { ...dependenciesOf(embedded), reads: projectedReads(embedded) };
    const deleteOnlyGood = (hash: string): Promise<boolean> =>
      hash === sha256 ? blobs.delete(hash) : Promise.reject(new Error('EACCES'));
    const sweeping = eraseExpiredPdfs({ ...dependencies, blobs: { ...blobs, delete: deleteOnlyGood } });
    const [oldest] = bad.map(({ id }) => id).toSorted();
    await expect(sweeping).rejects.toThrow(`501 failures with renders: ${oldest}: Error: EACCES; `);
    expect(await blobs.has(sha256)).toBe(false);
    expect(await eraseExpiredPdfs(dependencies)).toBe(501);
  });

  test('is erased with its thumbnail, unless a later render has the same image', async () => {
    const embedded = await openEmbeddedEngines();
    const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
    const isStored = (text: string): Promise<boolean> => embedded.engines.blobs.has(hash(text));
    await embedded.recordCompletedRender(pollResponseMode, 'first', 'cover');
    await embedded.recordCompletedRender(pollResponseMode, 'other', 'page');
    embedded.advanceClock(1_000);
    await embedded.recordCompletedRender(pollResponseMode, 'second', 'cover');
    await embedded.catchUpReadModels();
    embedded.advanceClock(hourMs - 999);
    expect(await eraseExpiredPdfs(dependenciesOf(embedded))).toBe(2);
    expect(await Promise.all(['first', 'other', 'page', 'cover'].map(isStored))).toEqual([false, false, false, true]);
    await embedded.catchUpReadModels();
    embedded.advanceClock(1_000);
    expect(await eraseExpiredPdfs(dependenciesOf(embedded))).toBe(1);
    expect(await isStored('cover')).toBe(false);
  });

  test('gets its PdfErased event from the next sweep after a crash between erasure and event', async () => {
    const embedded = await openEmbeddedEngines();
    const { id, sha256 } = await embedded.recordCompletedRender(pollResponseMode);
    await embedded.catchUpReadModels();
    embedded.advanceClock(hourMs + 1);
    await embedded.engines.blobs.delete(sha256);
    expect(await eraseExpiredPdfs(dependenciesOf(embedded))).toBe(1);
    expect((await embedded.eventTypesIn(streams.render(id))).filter((type) => type === 'PdfErased')).toHaveLength(1);
  });
});

test('A failed sweep is reported and tried again, and does not prevent the other sweep', async () => {
  const embedded = await openEmbeddedEngines();
  const { sha256 } = await embedded.recordCompletedRender(pollResponseMode);
  await embedded.catchUpReadModels();
  embedded.advanceClock(hourMs + 1);
  const stop = new AbortController();
  const reports: string[] = [];
  const { reads } = embedded.engines;
  const find: ReadStore['find'] = (collection, query) =>
    collection === readModels.deliveries ? Promise.reject(new Error('no deliveries')) : reads.find(collection, query);
  const sweeping = runSweeper(
    { ...dependenciesOf(embedded), reads: { ...reads, find } },
    (_, message) => void reports.push(message),
    stop.signal,
    1,
  );
  await waitUntil('the PDF is gone', async () => !(await embedded.engines.blobs.has(sha256)));
  await embedded.catchUpReadModels();
  await waitUntil('it tries again', () => reports.length > 1);
  stop.abort();
  await sweeping;
  expect(new Set(reports)).toEqual(new Set(['sweep failed; the next one tries again']));
});

test('A sweeper that stops leaves the other PDFs to the next one', async () => {
  const embedded = await openEmbeddedEngines();
  await Promise.all(
    Array.from({ length: 50 }, (_, index) => embedded.recordCompletedRender(pollResponseMode, `PDF ${index}`)),
  );
  await embedded.catchUpReadModels();
  embedded.advanceClock(hourMs + 1);
  const stop = new AbortController();
  const { blobs } = embedded.engines;
  const deleteAndStop: typeof blobs.delete = (...given) => {
    stop.abort();
    return blobs.delete(...given);
  };
  const dependencies = { ...dependenciesOf(embedded), blobs: { ...blobs, delete: deleteAndStop } };
  await runSweeper(dependencies, () => undefined, stop.signal);
  await embedded.catchUpReadModels();
  expect(await eraseExpiredPdfs(dependenciesOf(embedded))).toBe(30);
});

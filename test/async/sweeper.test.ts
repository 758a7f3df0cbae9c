import { describe, expect, test } from 'vitest';
import { consumers, readModels, streams, subjects } from '#contracts/names.ts';
import type { Consumer } from '#libs/bus/port.ts';
import { render } from '#libs/domain/render.ts';
import { load } from '#application/handling/handle.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import { messageOf } from '../../services/relay/relay.ts';
import { erasePdfs } from '../../services/sweeper/erase.ts';
import { putBack } from '../../services/sweeper/put-back.ts';
import { runSweeper } from '../../services/sweeper/sweeper.ts';
import { until } from '../e2e/until.ts';
import { openStage, poll, type Stage } from './stage.ts';

const hourMs = 3_600_000;
const overdueMs = 60_000;
const rendering: Consumer = { name: consumers.renderer, subject: subjects.renderRequested, leaseMs: 1_000 };
const delivering: Consumer = { name: consumers.delivery, subject: subjects.deliveryDue, leaseMs: 1_000 };

const partsOf = ({ log, engines: { reads, blobs, bus } }: Stage) => ({ log, reads, blobs, bus, messageOf, overdueMs });
const settle = async (stage: Stage): Promise<void> => {
  stage.pass(overdueMs + 1);
  await stage.settled();
};

describe('Work that the bus has forgotten', () => {
  test('is put back when it is overdue, and not before', async () => {
    const stage = await openStage();
    await stage.queued();
    await stage.settled();
    await putBack(partsOf(stage));
    expect(await stage.engines.bus.pending(rendering)).toBe(0);
    stage.pass(overdueMs + 1);
    await putBack(partsOf(stage));
    await putBack(partsOf(stage));
    expect(await stage.engines.bus.pending(rendering)).toBe(1);
  });

  test('is put back where the clock was set back by an hour since', async () => {
    const stage = await openStage();
    await stage.queued();
    await stage.completed();
    stage.setClock(-hourMs);
    await settle(stage);
    await putBack(partsOf(stage));
    expect(await stage.engines.bus.pending(rendering)).toBe(1);
    expect(await stage.engines.bus.pending(delivering)).toBe(1);
  });

  test('is put back in one sweep, however much it is', async () => {
    const stage = await openStage();
    for (let n = 0; n < 1_203; n += 1) await stage.queued(poll);
    await settle(stage);
    await putBack(partsOf(stage));
    expect(await stage.engines.bus.pending(rendering)).toBe(1_203);
  });

  test('is a callback, too, whether it had begun or not', async () => {
    const stage = await openStage();
    const { id } = await stage.completed();
    await settle(stage);
    await putBack(partsOf(stage));
    expect(await stage.engines.bus.pending(delivering)).toBe(1);
    expect((await stage.engines.bus.next(delivering, new AbortController().signal))!.data).toEqual({ id });
  });

  test('is the callback even where somebody has asked for the diagnosis of its render since', async () => {
    const stage = await openStage();
    const { id } = await stage.completed();
    const { aggregate } = await load(stage.log, render, streams.render(id));
    await aggregate.execute({ type: 'requestDiagnosis' }, stage.cause);
    await settle(stage);
    await putBack(partsOf(stage));
    expect(await stage.engines.bus.pending(rendering)).toBe(0);
    expect(await stage.engines.bus.pending(delivering)).toBe(1);
  });

  test('is nothing that has ended, nor what nobody is to be told of', async () => {
    const stage = await openStage();
    await stage.completed(poll);
    await stage.completed({ kind: 'wait' });
    await stage.failed({ name: 'internal_error', message: 'x', extra: {} }, poll);
    await settle(stage);
    await putBack(partsOf(stage));
    expect(await stage.engines.bus.pending(rendering)).toBe(0);
    expect(await stage.engines.bus.pending(delivering)).toBe(0);
  });
});

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
  const bus = { ...stage.engines.bus, pending: async () => Promise.reject(new Error('no bus')) };
  const sweeping = runSweeper({ ...partsOf(stage), bus }, (_, message) => void reports.push(message), stop.signal, { everyMs: 1, overdueMs });
  await until('the PDF is gone', async () => !(await stage.engines.blobs.has(sha256)));
  await until('it tries again', () => reports.length > 1);
  stop.abort();
  await sweeping;
  expect(new Set(reports)).toEqual(new Set(['a sweep failed; the next one tries again']));
});

import { describe, expect, test } from 'vitest';
import type { RenderSource } from '#contracts/events/render.ts';
import type { ApiError } from '#contracts/http/api-error.ts';
import { type WorkDurationsDocument, allAccountsDocumentId } from '#libs/projections/work-durations.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { type EstimateRequest, createEstimator, requireBacklogCapacity, requireShortWait } from './estimate.ts';

const html: RenderSource = { mode: 'CONVERT', inputType: 'html', input: { sha256: 'x', size: 1 } };
const docx: RenderSource = { ...html, inputType: 'docx' };
const at = new Date(0).toISOString();
/** A place costs about 10 ms. */
const usual: WorkDurationsDocument = {
  starts: 1e6,
  waitedMs: 1e7,
  lastStartAt: at,
  durationByInputType: { html: { averageMs: 20, measuredAt: at }, csv: { averageMs: 40, measuredAt: at } },
};
const ofAll: WorkDurationsDocument = { ...usual, durationByInputType: { docx: { averageMs: 70, measuredAt: at } } };

const waits = (source = html): EstimateRequest => ({ accountId: 'a', source, priority: 'urgent' });
const later = (source = html): EstimateRequest => ({ accountId: 'a', source, priority: 'ordinary' });

type Queue = { urgent: number; ordinary: number; others?: number; through?: number };

const estimatesWith = (queue: Queue, pace: WorkDurationsDocument | null = usual) => {
  let looks = 0;
  const clock = { now: 0 };
  const server = { away: false, readsAway: false };
  const count = async (_: string, { accountId, responseMode, status }: Record<string, unknown>): Promise<number> => {
    looks += 1;
    if (server.readsAway) throw new Error('the read models are away');
    if (accountId === undefined) return status === 'QUEUED' ? queue.urgent + queue.ordinary + (queue.others ?? 0) : 0;
    if (accountId !== 'a') return 0;
    if (responseMode === 'webhook') return 0;
    return responseMode === 'poll' ? queue.ordinary : queue.urgent;
  };
  const get = async (_: string, id: string) => (id === allAccountsDocumentId ? ofAll : id === 'a' ? pace : null);
  const checkpoint = async (): Promise<number> => queue.through ?? 0;
  const reads = { count, get, checkpoint } as unknown as ReadStore;
  return {
    estimates: createEstimator(
      reads,
      () => server.away,
      () => clock.now,
    ),
    clock,
    server,
    queue,
    looks: () => looks,
  };
};
const waitMs = async (queue: Queue, asked: EstimateRequest): Promise<number> =>
  (await estimatesWith(queue).estimates.estimate(asked)).waitMs;
const thrown = async (act: () => unknown): Promise<ApiError> => {
  try {
    await act();
  } catch (error) {
    return error as ApiError;
  }
  throw new Error('nothing was refused');
};

describe('an estimate', () => {
  test('has the usual time of the same kind of input: that of the account, else of all', async () => {
    const { estimates } = estimatesWith({ urgent: 0, ordinary: 0 });
    expect((await estimates.estimate(later())).workMs).toBe(20);
    expect((await estimates.estimate(later(docx))).workMs).toBe(30);
    expect((await estimates.estimate({ ...later(docx), accountId: 'b' })).workMs).toBe(70);
  });

  test('counts the jobs of the account since the last look at the queue, and no others', async () => {
    const { estimates } = estimatesWith({ urgent: 0, ordinary: 0 });
    await estimates.estimate({ ...later(), accountId: 'b' });
    expect([(await estimates.estimate(later())).waitMs, (await estimates.estimate(later())).waitMs]).toEqual([0, 10]);
  });

  test('waits for what is queued of the account, or for what goes before a render that somebody waits for', async () => {
    expect(await waitMs({ urgent: 0, ordinary: 1_000 }, later())).toBe(10_000);
    expect(await waitMs({ urgent: 0, ordinary: 1_000 }, waits())).toBe(0);
    expect(await waitMs({ urgent: 300, ordinary: 700 }, waits())).toBe(4_000);
    expect(await waitMs({ urgent: 300, ordinary: 10 }, waits())).toBe(3_100);
  });

  test('does not wait for what is queued of other accounts', async () => {
    const { estimates } = estimatesWith({ urgent: 5_000, ordinary: 5_000 });
    expect((await estimates.estimate({ ...waits(), accountId: 'b' })).waitMs).toBe(0);
  });

  test('takes a place to cost little as long as nothing was measured', async () => {
    const { estimates } = estimatesWith({ urgent: 100, ordinary: 0 }, null);
    expect((await requireShortWait(estimates, waits(), 30_000)).waitMs).toBeLessThanOrEqual(5_000);
  });

  test('looks at the queue again after a while', async () => {
    const { estimates, clock, looks } = estimatesWith({ urgent: 0, ordinary: 5 });
    await Promise.all([1, 2, 3].map(() => estimates.estimate(waits())));
    expect(looks()).toBe(5);
    clock.now = 251;
    await estimates.estimate(waits());
    expect(looks()).toBe(10);
    clock.now -= 3_600_000;
    await estimates.estimate(waits());
    expect(looks()).toBe(15);
  });

  test('counts each job that was asked for before once, however late the read model shows it', async () => {
    const { estimates, clock, queue } = estimatesWith({ urgent: 0, ordinary: 5, through: 10 });
    const all = await Promise.all([1, 2, 3].map(() => estimates.estimate(later())));
    expect(all.map(({ pendingRenders }) => pendingRenders)).toEqual([5, 6, 7]);
    all[0]!.confirmPosition!(11);
    all[1]!.confirmPosition!(null);
    clock.now = 10_000;
    // One is in the log and not shown, one was refused, one is being accepted.
    expect((await estimates.estimate(later())).pendingRenders).toBe(7);
    Object.assign(queue, { ordinary: 6, through: 11 });
    clock.now = 20_000;
    expect((await estimates.estimate(waits())).pendingRenders).toBe(8);
    clock.now = 100_000;
    expect((await estimates.estimate(waits())).pendingRenders).toBe(6);
  });
});

describe('an estimate while the read models are away', () => {
  test('fails, and leaves no job behind that others are refused for', async () => {
    const { estimates, server } = estimatesWith({ urgent: 0, ordinary: 5 });
    server.readsAway = true;
    await Promise.all([1, 2, 3].map(() => thrown(() => estimates.estimate(later()))));
    server.readsAway = false;
    expect((await estimates.estimate(later())).pendingRenders).toBe(5);
  });
});

describe('an estimate while the bus is away', () => {
  test('goes by what waits, for a render that nobody waits for', async () => {
    const { estimates, clock, server } = estimatesWith({ urgent: 0, ordinary: 5 });
    server.away = true;
    const pendings: number[] = [];
    for (; pendings.length < 3; clock.now += 10) pendings.push((await estimates.estimate(later())).pendingRenders);
    expect(pendings).toEqual([5, 6, 7]);
    expect(
      (await thrown(() => requireBacklogCapacity({ waitMs: 1, workMs: 1, pendingRenders: pendings.at(-1)! }, 7)))
        .message,
    ).toContain('the maximum of the service');
  });

  test('is none for a render that somebody would wait for in vain', async () => {
    const { estimates, server } = estimatesWith({ urgent: 0, ordinary: 5 });
    server.away = true;
    expect((await thrown(() => estimates.estimate(waits()))).fields.name).toBe('service_unavailable');
    server.away = false;
    expect((await estimates.estimate(waits())).waitMs).toBe(0);
  });
});

describe('a request is refused', () => {
  test('where somebody would wait beyond the deadline, with the time after which they would not', async () => {
    await requireShortWait(estimatesWith({ urgent: 3_000, ordinary: 0 }).estimates, waits(), 30_000);
    const problem = await thrown(() =>
      requireShortWait(estimatesWith({ urgent: 3_410, ordinary: 0 }).estimates, waits(), 30_000),
    );
    expect(problem.fields).toMatchObject({ name: 'service_unavailable', extra: { retry_after: 5 } });
  });

  test('by no old look at the queue: where nothing waits any more, nobody is', async () => {
    const { estimates, clock, queue } = estimatesWith({ urgent: 5_000, ordinary: 0 });
    await thrown(() => requireShortWait(estimates, waits(), 30_000));
    queue.urgent = 0;
    clock.now = 50;
    expect((await requireShortWait(estimates, waits(), 30_000)).waitMs).toBe(0);
  });

  test('where the backlog is full, but not because of others that were refused', async () => {
    const { estimates, clock, queue } = estimatesWith({ urgent: 0, ordinary: 5 });
    for (let n = 0; n < 12; n += 1, clock.now += 20) {
      const estimate = await estimates.estimate(later());
      await thrown(() => requireBacklogCapacity(estimate, 5));
    }
    queue.ordinary = 4;
    clock.now = 251;
    expect((await estimates.estimate(later())).pendingRenders).toBe(4);
  });

  test('where the backlog is full, with the time after which there is room', async () => {
    requireBacklogCapacity({ waitMs: 1_000, workMs: 1, pendingRenders: 99 }, 100);
    expect(
      (await thrown(() => requireBacklogCapacity({ waitMs: 1_000, workMs: 1, pendingRenders: 100 }, 100))).fields,
    ).toMatchObject({ name: 'service_unavailable', extra: { retry_after: 1 } });
    expect(
      (await thrown(() => requireBacklogCapacity({ waitMs: 20_000, workMs: 1, pendingRenders: 200 }, 100))).fields
        .extra['retry_after'],
    ).toBe(11);
  });
});

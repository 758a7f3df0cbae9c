import { describe, expect, test } from 'vitest';
import type { RenderSource } from '#contracts/events/render-request.ts';
import type { ApiError } from '#contracts/http/api-error.ts';
import { type WorkDurationsDocument, allAccountsDocumentId } from '#libs/projections/work-durations.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { type EstimateRequest, createEstimator, requireBacklogCapacity, requireShortWait } from './estimate.ts';

const html: RenderSource = { mode: 'CONVERT', inputType: 'html', input: { sha256: 'x', size: 1 } };
const docx: RenderSource = { ...html, inputType: 'docx' };
const at = new Date(0).toISOString();
/** Each queued render adds about 10 ms to the wait. */
const usual: WorkDurationsDocument = {
  starts: 1e6,
  waitedMs: 1e7,
  lastStartAt: at,
  durationByInputType: { html: { averageMs: 20, measuredAt: at }, csv: { averageMs: 40, measuredAt: at } },
};
/** Much slower, and not to be felt by an account that has a pace of its own. */
const ofAll: WorkDurationsDocument = {
  ...usual,
  waitedMs: 1e9,
  durationByInputType: { docx: { averageMs: 70, measuredAt: at } },
};

const waits = (source = html): EstimateRequest => ({ accountId: 'a', source, priority: 'urgent' });
const later = (source = html): EstimateRequest => ({ accountId: 'a', source, priority: 'ordinary' });

type Queue = { urgent: number; ordinary: number; others?: number; through?: number };

const estimatesWith = (queue: Queue, pace: WorkDurationsDocument | null = usual) => {
  let looks = 0;
  const clock = { now: 0 };
  const server = { away: false, readsAway: false, slowReads: Promise.resolve(), onCount: () => {} };
  const count = async (_: string, { accountId, kind, status }: Record<string, unknown>): Promise<number> => {
    looks += 1;
    server.onCount();
    if (server.readsAway) throw new Error('the read models are away');
    if (accountId === undefined) return status === 'QUEUED' ? queue.urgent + queue.ordinary + (queue.others ?? 0) : 0;
    const counted = kind === 'asynchronous' ? queue.ordinary : queue.urgent;
    if (accountId === 'slow') await server.slowReads;
    return accountId === 'a' || accountId === 'slow' ? counted : 0;
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

describe('An estimate', () => {
  test('uses the average work time of the same input type: of the account, or else of all accounts', async () => {
    const { estimates } = estimatesWith({ urgent: 0, ordinary: 0 });
    expect((await estimates.estimate(later())).workMs).toBe(20);
    expect((await estimates.estimate(later(docx))).workMs).toBe(30);
    expect((await estimates.estimate({ ...later(docx), accountId: 'b' })).workMs).toBe(70);
  });

  test('counts jobs of the account since the last read of the queue, and no others', async () => {
    const { estimates } = estimatesWith({ urgent: 0, ordinary: 0 });
    await estimates.estimate({ ...later(), accountId: 'b' });
    expect([(await estimates.estimate(later())).waitMs, (await estimates.estimate(later())).waitMs]).toEqual([0, 10]);
  });

  test('counts the queued renders of the account that start before the new one', async () => {
    expect(await waitMs({ urgent: 0, ordinary: 1_000 }, later())).toBe(10_000);
    expect(await waitMs({ urgent: 0, ordinary: 1_000 }, waits())).toBe(0);
    expect(await waitMs({ urgent: 300, ordinary: 700 }, waits())).toBe(4_000);
    expect(await waitMs({ urgent: 300, ordinary: 10 }, waits())).toBe(3_100);
  });

  test('does not count the renders of other accounts', async () => {
    const { estimates } = estimatesWith({ urgent: 5_000, ordinary: 5_000 });
    expect((await estimates.estimate({ ...waits(), accountId: 'b' })).waitMs).toBe(0);
  });

  test('assumes a short wait per queued render without measurements', async () => {
    const { estimates } = estimatesWith({ urgent: 100, ordinary: 0 }, null);
    expect((await requireShortWait(estimates, waits(), 30_000)).waitMs).toBeLessThanOrEqual(5_000);
  });

  test('reads the queue again after the cache expires', async () => {
    const { estimates, clock, looks } = estimatesWith({ urgent: 0, ordinary: 5 });
    await Promise.all([1, 2, 3].map(() => estimates.estimate(waits())));
    expect(looks()).toBe(4);
    clock.now = 251;
    await estimates.estimate(waits());
    expect(looks()).toBe(8);
    clock.now -= 3_600_000;
    await estimates.estimate(waits());
    expect(looks()).toBe(12);
  });

  test('counts each earlier job once, even if the read model lags', async () => {
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

  test('counts a job that was confirmed until the read model has it', async () => {
    const { estimates, clock } = estimatesWith({ urgent: 0, ordinary: 5, through: 10 });
    (await estimates.estimate(later())).confirmPosition!(11);
    clock.now = 100_000;
    expect((await estimates.estimate(waits())).pendingRenders).toBe(6);
  });

  test('does not count a lost job after a minute, also if the clock was set back', async () => {
    const { estimates, clock } = estimatesWith({ urgent: 0, ordinary: 5 });
    await estimates.estimate(later());
    clock.now = -3_600_000;
    expect((await estimates.estimate(waits())).pendingRenders).toBe(5);
  });

  test('counts a job that reaches the read model while its position and its counts are read', async () => {
    const { estimates, clock, queue, server } = estimatesWith({ urgent: 0, ordinary: 5, through: 10 });
    (await estimates.estimate(later())).confirmPosition!(11);
    server.onCount = () => (queue.through = 11);
    clock.now = 251;
    expect((await estimates.estimate(waits())).pendingRenders).toBe(6);
  });

  test('uses the newest counts, even if an older read ends later', async () => {
    const { estimates, clock, queue, server, looks } = estimatesWith({ urgent: 0, ordinary: 5 });
    const { promise, resolve } = Promise.withResolvers<void>();
    server.slowReads = promise;
    const older = estimates.estimate({ ...waits(), accountId: 'slow' });
    await expect.poll(looks).toBe(4);
    server.slowReads = Promise.resolve();
    queue.urgent = 3;
    clock.now = 251;
    const newer = await estimates.estimate({ ...waits(), accountId: 'slow' });
    resolve();
    const last = await estimates.estimate({ ...waits(), accountId: 'slow' });
    expect(newer.waitMs).toBeGreaterThan(0);
    expect([(await older).waitMs, last.waitMs]).toEqual([newer.waitMs, newer.waitMs]);
  });

  test('does not count rejected jobs, nor those that the cached counts contain', async () => {
    const { estimates } = estimatesWith({ urgent: 0, ordinary: 5, through: 10 });
    const [rejected, counted] = [await estimates.estimate(later()), await estimates.estimate(later())];
    expect((await estimates.estimate(waits())).pendingRenders).toBe(7);
    rejected.confirmPosition!(null);
    counted.confirmPosition!(10);
    const { pendingRenders, waitMs } = await estimates.estimate(later());
    expect({ pendingRenders, waitMs }).toEqual({ pendingRenders: 5, waitMs: 50 });
  });
});

describe('An estimate without read models', () => {
  test('fails, and its job does not count in later estimates', async () => {
    const { estimates, server } = estimatesWith({ urgent: 0, ordinary: 5 });
    server.readsAway = true;
    await Promise.all([1, 2, 3].map(() => thrown(() => estimates.estimate(later()))));
    server.readsAway = false;
    expect((await estimates.estimate(later())).pendingRenders).toBe(5);
  });
});

describe('An estimate without a bus', () => {
  test('counts the queued renders for a job', async () => {
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

  test('rejects a render that a caller would wait for', async () => {
    const { estimates, server } = estimatesWith({ urgent: 0, ordinary: 5 });
    server.away = true;
    expect((await thrown(() => estimates.estimate(waits()))).fields.name).toBe('service_unavailable');
    server.away = false;
    expect((await estimates.estimate(waits())).waitMs).toBe(0);
  });
});

describe('A request is rejected', () => {
  test('if the caller would wait longer than the deadline, with a retry time', async () => {
    await requireShortWait(estimatesWith({ urgent: 3_000, ordinary: 0 }).estimates, waits(), 30_000);
    const problem = await thrown(() =>
      requireShortWait(estimatesWith({ urgent: 3_410, ordinary: 0 }).estimates, waits(), 30_000),
    );
    expect(problem.fields).toMatchObject({ name: 'service_unavailable', extra: { retry_after: 5 } });
  });

  test('only after a fresh read of the queue', async () => {
    const { estimates, clock, queue } = estimatesWith({ urgent: 5_000, ordinary: 0 });
    await thrown(() => requireShortWait(estimates, waits(), 30_000));
    queue.urgent = 0;
    clock.now = 50;
    expect((await requireShortWait(estimates, waits(), 30_000)).waitMs).toBe(0);
  });

  test('if the backlog is full, not counting rejected requests', async () => {
    const { estimates, clock, queue } = estimatesWith({ urgent: 0, ordinary: 5 });
    for (let n = 0; n < 12; n += 1, clock.now += 20) {
      const estimate = await estimates.estimate(later());
      await thrown(() => requireBacklogCapacity(estimate, 5));
    }
    queue.ordinary = 4;
    clock.now = 251;
    expect((await estimates.estimate(later())).pendingRenders).toBe(4);
  });

  test('if the backlog is full, also while the queue of another account is read', async () => {
    const { estimates, server } = estimatesWith({ urgent: 0, ordinary: 0 });
    const { promise, resolve } = Promise.withResolvers<void>();
    server.slowReads = promise;
    let accepted = 0;
    const submit = async (accountId: string): Promise<void> => {
      requireBacklogCapacity(await estimates.estimate({ ...later(), accountId }), 10);
      accepted += 1;
    };
    const ofSlow = Array.from({ length: 20 }, () => submit('slow').catch(() => undefined));
    await Promise.allSettled(Array.from({ length: 20 }, () => submit('a')));
    expect(accepted).toBe(10);
    resolve();
    await Promise.all(ofSlow);
    expect(accepted).toBe(10);
  });

  test('if the backlog is full, with a retry time', async () => {
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

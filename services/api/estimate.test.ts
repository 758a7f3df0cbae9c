import { describe, expect, test } from 'vitest';
import type { RenderSource } from '#contracts/events/render.ts';
import type { Problem } from '#contracts/http/problem.ts';
import type { Bus } from '#libs/bus/port.ts';
import type { PaceDocument } from '#libs/projections/pace.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { createEstimates, requireBacklogRoom, requireShortWait } from './estimate.ts';

const html: RenderSource = { mode: 'CONVERT', inputType: 'html', input: { sha256: 'x', size: 1 } };
const docx: RenderSource = { ...html, inputType: 'docx' };
const usual: PaceDocument = { workMs: { html: 20, csv: 40 }, gapMs: 10, lastEndAt: '2026-01-01T00:00:00.000Z' };

const estimatesWith = ({ all, urgent }: { all: number; urgent: number }, pace: PaceDocument | null = usual) => {
  let looks = 0;
  const clock = { now: 0 };
  const server = { away: false };
  const pending = async (_: unknown, only?: 'urgent'): Promise<number> => {
    looks += 1;
    if (server.away) throw new Error('NATS is not connected');
    return only ? urgent : all;
  };
  const bus = { pending } as unknown as Bus;
  const reads = { get: async () => pace } as unknown as ReadStore;
  return { estimates: createEstimates(bus, reads, () => clock.now), clock, server, looks: () => looks };
};
const thrown = (act: () => void): Problem => {
  try {
    act();
  } catch (error) {
    return error as Problem;
  }
  throw new Error('nothing was refused');
};

describe('an estimate', () => {
  test('has the usual time of the same kind of input, and of all kinds where that kind was never seen', async () => {
    const { estimates } = estimatesWith({ all: 0, urgent: 0 });
    expect((await estimates.of(html, 'later')).workMs).toBe(20);
    expect((await estimates.of(docx, 'later')).workMs).toBe(30);
    expect((await estimatesWith({ all: 0, urgent: 0 }, null).estimates.of(html, 'later')).workMs).toBeGreaterThan(0);
  });

  test('waits for all that is queued, or for what goes before one that somebody waits for', async () => {
    expect((await estimatesWith({ all: 1_000, urgent: 0 }).estimates.of(html, 'later')).waitMs).toBe(10_000);
    expect((await estimatesWith({ all: 1_000, urgent: 0 }).estimates.of(html, 'wait')).waitMs).toBe(0);
    expect((await estimatesWith({ all: 1_000, urgent: 300 }).estimates.of(html, 'wait')).waitMs).toBe(4_000);
    expect((await estimatesWith({ all: 310, urgent: 300 }).estimates.of(html, 'wait')).waitMs).toBe(3_100);
  });

  test('does not take a slow first render for what a place in the queue costs', async () => {
    const slow = { workMs: { html: 6_000 }, gapMs: null, lastEndAt: usual.lastEndAt };
    const { waitMs, workMs } = await estimatesWith({ all: 100, urgent: 100 }, slow).estimates.of(html, 'wait');
    expect(workMs).toBe(6_000);
    expect(() => requireShortWait({ waitMs, workMs, pending: 100 }, 30_000)).not.toThrow();
  });

  test('counts what came since the last look at the queue, and looks again after a while', async () => {
    const { estimates, clock, looks } = estimatesWith({ all: 5, urgent: 0 });
    const all = await Promise.all([1, 2, 3].map(() => estimates.of(html, 'later')));
    expect(all.map(({ pending }) => pending)).toEqual([5, 6, 7]);
    expect(looks()).toBe(2);
    clock.now = 251;
    expect((await estimates.of(html, 'later')).pending).toBe(5);
    expect(looks()).toBe(4);
  });
});

describe('an estimate while the bus is away', () => {
  test('goes by the queue that was seen last and what was accepted since, for a render that nobody waits for', async () => {
    const { estimates, clock, server } = estimatesWith({ all: 5, urgent: 0 });
    await estimates.of(html, 'later');
    server.away = true;
    const pendings: number[] = [];
    for (; pendings.length < 4; clock.now += 251) pendings.push((await estimates.of(html, 'later')).pending);
    expect(pendings).toEqual([6, 7, 8, 9]);
    expect(() => requireBacklogRoom({ waitMs: 1, workMs: 1, pending: pendings.at(-1)! }, 9)).toThrow('as many as the service takes on');
  });

  test('knows the usual times even where the queue was never seen', async () => {
    const { estimates, server } = estimatesWith({ all: 5, urgent: 0 });
    server.away = true;
    expect(await estimates.of(html, 'later')).toEqual({ waitMs: 0, workMs: 20, pending: 0 });
  });

  test('is none for a render that somebody would wait for in vain', async () => {
    const { estimates, server } = estimatesWith({ all: 5, urgent: 0 });
    server.away = true;
    await expect(estimates.of(html, 'wait')).rejects.toThrow('NATS is not connected');
  });

  test('goes by the queue again once the bus is back', async () => {
    const { estimates, clock, server } = estimatesWith({ all: 5, urgent: 0 });
    server.away = true;
    for (let n = 0; n < 50; n += 1) await estimates.of(html, 'later');
    server.away = false;
    await expect.poll(async () => {
      clock.now += 251;
      return (await estimates.of(html, 'later')).pending;
    }).toBe(5);
    expect((await estimates.of(html, 'wait')).waitMs).toBe(0);
  });
});

describe('a request is refused', () => {
  test('where somebody would wait beyond the deadline, with the time after which they would not', () => {
    requireShortWait({ waitMs: 30_000, workMs: 1, pending: 1 }, 30_000);
    const problem = thrown(() => requireShortWait({ waitMs: 34_100, workMs: 1, pending: 1 }, 30_000));
    expect(problem.fault).toMatchObject({ name: 'service_unavailable', extra: { retry_after: 5 } });
  });

  test('where the backlog is full, with the time after which there is room', () => {
    requireBacklogRoom({ waitMs: 1_000, workMs: 1, pending: 99 }, 100);
    expect(thrown(() => requireBacklogRoom({ waitMs: 1_000, workMs: 1, pending: 100 }, 100)).fault).toMatchObject({ name: 'service_unavailable', extra: { retry_after: 1 } });
    expect(thrown(() => requireBacklogRoom({ waitMs: 20_000, workMs: 1, pending: 200 }, 100)).fault.extra.retry_after).toBe(11);
  });
});

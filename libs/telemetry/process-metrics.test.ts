import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, expect, it, vi } from 'vitest';
import { readGauge } from './metrics.ts';
import { observeProcess } from './process-metrics.ts';

afterEach(() => void vi.useRealTimers());

type EventLoopGauge = 'nodejs.eventloop.delay.p99' | 'nodejs.eventloop.utilization';

const latest = async (name: EventLoopGauge): Promise<number> => (await readGauge(name))[0]!.value;

it('An event loop delay is in all readings until a full window without a delay has passed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let seconds = Number.NaN;
  const stop = observeProcess((options) =>
    Object.assign(monitorEventLoopDelay(options), {
      // Node's delays include the resolution.
      percentile: () => (seconds + options!.resolution! / 1e3) * 1e9,
      reset: () => void (seconds = Number.NaN),
    }),
  );
  expect(await latest('nodejs.eventloop.delay.p99')).toBe(0);
  seconds = 0.25;
  for (let reading = 0; reading < 2; reading += 1) expect(await latest('nodejs.eventloop.delay.p99')).toBeCloseTo(0.25);
  vi.advanceTimersByTime(10_000);
  expect(await latest('nodejs.eventloop.delay.p99')).toBeCloseTo(0.25);
  vi.advanceTimersByTime(10_000);
  expect(await latest('nodejs.eventloop.delay.p99')).toBe(0);
  expect(await latest('nodejs.eventloop.utilization')).toBeLessThanOrEqual(1);
  stop();
  expect(vi.getTimerCount()).toBe(0);
});

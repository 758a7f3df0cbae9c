import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { readGauge } from './metrics.ts';
import { observeProcess } from './process-metrics.ts';

afterEach(() => void vi.useRealTimers());

const block = (ms: number): void => {
  for (const until = performance.now() + ms; performance.now() < until;);
};

const latest = async (): Promise<number> => (await readGauge('nodejs.eventloop.delay.p99'))[0]!.value;

it('An event loop delay is in all readings until a full window without a delay has passed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const stop = observeProcess();
  while ((await latest()) < 0.15) {
    await sleep(50);
    block(250);
    await sleep(50);
  }
  const late = await latest();
  expect(await latest()).toBeGreaterThanOrEqual(late);
  vi.advanceTimersByTime(10_000);
  expect(await latest()).toBeGreaterThanOrEqual(0.15);
  vi.advanceTimersByTime(10_000);
  expect(await latest()).toBeLessThan(0.15);
  expect((await readGauge('nodejs.eventloop.utilization'))[0]!.value).toBeLessThanOrEqual(1);
  stop();
  expect(vi.getTimerCount()).toBe(0);
});

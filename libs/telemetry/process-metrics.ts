import { readdir } from 'node:fs/promises';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { observeGauge } from './metrics.ts';

const openFiles = async (): Promise<number> => (await readdir('/proc/self/fd')).length;

const resolutionMs = 20;
const windowMs = 10_000;

/** The monitor's delays include its resolution. */
const delaySeconds = (nanoseconds: number): number =>
  Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - resolutionMs / 1e3) : 0;

/**
 * The event loop in the last full window, or in the first window so far. Reading does not reset a window, so that all
 * readers see the same values.
 */
const observeEventLoop = (openMonitor: typeof monitorEventLoopDelay) => {
  const delay = openMonitor({ resolution: resolutionMs });
  delay.enable();
  let before = performance.eventLoopUtilization();
  const currentWindow = () => ({
    utilization: performance.eventLoopUtilization(performance.eventLoopUtilization(), before).utilization,
    p50: delaySeconds(delay.percentile(50)),
    p99: delaySeconds(delay.percentile(99)),
  });
  let last: ReturnType<typeof currentWindow> | null = null;
  const windows = setInterval(() => {
    last = currentWindow();
    delay.reset();
    before = performance.eventLoopUtilization();
  }, windowMs).unref();
  const stop = (): void => {
    clearInterval(windows);
    delay.disable();
  };
  return { now: () => last ?? currentWindow(), stop };
};

/** Observes CPU, memory and event loop of the process. Returns a function that stops it. */
export const observeProcess = (openMonitor = monitorEventLoopDelay): (() => void) => {
  const loop = observeEventLoop(openMonitor);
  const cpuTime = () => {
    const { user, system } = process.cpuUsage();
    return [
      { value: user / 1e6, labels: { 'cpu.mode': 'user' } },
      { value: system / 1e6, labels: { 'cpu.mode': 'system' } },
    ];
  };
  const stops = [
    observeGauge('process.cpu.time', cpuTime),
    observeGauge('process.memory.usage', () => [{ value: process.memoryUsage.rss() }]),
    observeGauge('process.uptime', () => [{ value: process.uptime() }]),
    observeGauge('process.open_file_descriptor.count', async () => [{ value: await openFiles() }]),
    observeGauge('v8js.memory.heap.used', () => [{ value: process.memoryUsage().heapUsed }]),
    observeGauge('nodejs.eventloop.utilization', () => [{ value: loop.now().utilization }]),
    observeGauge('nodejs.eventloop.delay.p50', () => [{ value: loop.now().p50 }]),
    observeGauge('nodejs.eventloop.delay.p99', () => [{ value: loop.now().p99 }]),
  ];
  return () => {
    loop.stop();
    for (const stop of stops) stop();
  };
};

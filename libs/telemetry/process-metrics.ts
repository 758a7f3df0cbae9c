import { readdir } from 'node:fs/promises';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { watchGauge } from './metrics.ts';

const openFiles = async (): Promise<number> => (await readdir('/proc/self/fd')).length;

const resolutionMs = 20;

/** The monitor counts from one look to the next, so that a loop which is never late shows the pause between them. */
const lateness = (nanoseconds: number): number => (Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - resolutionMs / 1e3) : 0);

/** Has the process itself looked at: processor, memory, event loop. Returns what ends that. */
export const watchProcess = (): (() => void) => {
  // Both quantiles begin anew when they have been read, or one bad minute would show for ever.
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let before = performance.eventLoopUtilization();
  const utilization = (): number => {
    const now = performance.eventLoopUtilization();
    const since = performance.eventLoopUtilization(now, before);
    before = now;
    return since.utilization;
  };
  const processor = () => {
    const { user, system } = process.cpuUsage();
    return [{ value: user / 1e6, labels: { 'cpu.mode': 'user' } }, { value: system / 1e6, labels: { 'cpu.mode': 'system' } }];
  };
  const stops = [
    watchGauge('process.cpu.time', processor),
    watchGauge('process.memory.usage', () => [{ value: process.memoryUsage.rss() }]),
    watchGauge('process.uptime', () => [{ value: process.uptime() }]),
    watchGauge('process.open_file_descriptor.count', async () => [{ value: await openFiles() }]),
    watchGauge('v8js.memory.heap.used', () => [{ value: process.memoryUsage().heapUsed }]),
    watchGauge('nodejs.eventloop.utilization', () => [{ value: utilization() }]),
    watchGauge('nodejs.eventloop.delay.p50', () => [{ value: lateness(delay.percentile(50)) }]),
    watchGauge('nodejs.eventloop.delay.p99', () => {
      const value = lateness(delay.percentile(99));
      delay.reset();
      return [{ value }];
    }),
  ];
  return () => {
    delay.disable();
    for (const stop of stops) stop();
  };
};

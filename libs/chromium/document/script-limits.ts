import { ApiError } from '#contracts/http/api-error.ts';
import { memoryExceededError } from '../browsers/memory.ts';
import type { Page } from '../browsers/page.ts';

const pollMs = 100;
const responsiveWithinMs = 300;

type PerformanceMetrics = Record<string, number>;

/**
 * The engine counts what promises run on from each other as other work of the page. Work without a gap, in the middle of which the page
 * answers, is script all the same: all else that keeps a page busy keeps it from answering.
 */
const createPromiseTimeCounter = () => {
  let [last, milliseconds]: [PerformanceMetrics | undefined, number] = [undefined, 0];
  return (reading: PerformanceMetrics, answeredWithinMs: number): number => {
    const since = (name: string) => ((reading[name] ?? 0) - (last?.[name] ?? 0)) * 1000;
    const unbroken =
      last !== undefined &&
      answeredWithinMs < responsiveWithinMs &&
      since('TaskOtherDuration') > 0.9 * since('Timestamp');
    milliseconds = unbroken ? milliseconds + since('TaskOtherDuration') : 0;
    last = reading;
    return milliseconds;
  };
};

/**
 * Fails the page with javascript_timeout once its scripts have run for so many milliseconds together, and with conversion_failed once they fill their heap. The metric is answered even in the middle of
 * an endless loop; a page busy with anything else than scripts answers late, and is left to the deadline of the whole document.
 * Returns what stops the watch.
 */
export const enforceScriptLimits = async (
  page: Page,
  { scriptMs, heapMb }: { scriptMs: number; heapMb: number },
): Promise<() => void> => {
  let watching = true;
  let timer: NodeJS.Timeout | undefined;
  await page.session.send('Performance.enable', { timeDomain: 'timeTicks' });

  const ofPromises = createPromiseTimeCounter();

  const look = async () => {
    const asked = performance.now();
    const { metrics } = await page.session.send('Performance.getMetrics');
    if (!watching) return;
    const reading: PerformanceMetrics = Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
    const spentMs = (reading['ScriptDuration'] ?? 0) * 1000 + ofPromises(reading, performance.now() - asked);
    if (spentMs > scriptMs) return page.fail(scriptTimeoutError(scriptMs));
    // At its limit the engine ends the process, and nothing would tell why.
    page.heapMb = (reading['JSHeapUsedSize'] ?? 0) / 2 ** 20;
    if (page.heapMb > heapMb * 0.9) return page.fail(memoryExceededError(heapMb));
    later();
  };
  const later = () => (timer = setTimeout(() => void look().catch(() => undefined), pollMs));
  later();

  return () => {
    watching = false;
    clearTimeout(timer);
  };
};

const scriptTimeoutError = (scriptMs: number) => {
  const seconds = Math.ceil(scriptMs / 1000);
  return ApiError.of('javascript_timeout', `The scripts of the document ran longer than ${seconds} s together.`, {
    timeout_seconds: seconds,
  });
};

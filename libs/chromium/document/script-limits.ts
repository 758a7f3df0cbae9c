import { ApiError } from '#contracts/http/api-error.ts';
import { heapExceededError } from '../browsers/memory.ts';
import type { Page } from '../browsers/page.ts';

const pollMs = 100;
const responsiveWithinMs = 300;

type PerformanceMetrics = Record<string, number>;

/**
 * Chromium counts chained promise callbacks as other work of the page, not as script. Continuous work during which the
 * page still responds is counted as script: most other work would block its responses. Both are measured in processor
 * time of the page: on a busy machine each response is late, and loading many frames takes long. The returned function
 * takes the metrics of the page (seconds) and how long they took to arrive, and returns the milliseconds in a row so far.
 */
export const createPromiseTimeCounter = () => {
  let [previous, milliseconds]: [PerformanceMetrics | undefined, number] = [undefined, 0];
  return (metricValues: PerformanceMetrics, responseMs: number): number => {
    const since = (name: string) => ((metricValues[name] ?? 0) - (previous?.[name] ?? 0)) * 1000;
    const processorShare = since('ThreadTime') / since('Timestamp');
    // On a busy machine also the response to a request for the metrics waits for a processor.
    const busyMs = since('TaskOtherDuration') + since('DevToolsCommandDuration');
    const isContinuous =
      previous !== undefined && responseMs * processorShare < responsiveWithinMs && busyMs > 0.9 * since('Timestamp');
    milliseconds = isContinuous ? milliseconds + since('ThreadTime') : 0;
    previous = metricValues;
    return milliseconds;
  };
};

/**
 * Fails the page with javascript_timeout once its scripts have run for `scriptMs` in total, and with conversion_failed
 * once they fill their heap. The page answers metric requests even during an endless loop; a page that is busy with
 * other work answers late, and is ended by the document's processing timeout. Returns a function that stops the checks.
 */
export const enforceScriptLimits = async (
  page: Page,
  { scriptMs, heapMb }: { scriptMs: number; heapMb: number },
): Promise<() => void> => {
  let active = true;
  let timer: NodeJS.Timeout | undefined;
  await page.session.send('Performance.enable', { timeDomain: 'timeTicks' });

  const countPromiseTime = createPromiseTimeCounter();

  const check = async () => {
    const requestedAt = performance.now();
    const { metrics } = await page.session.send('Performance.getMetrics');
    if (!active) return;
    const metricValues: PerformanceMetrics = Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
    const spentMs =
      (metricValues['ScriptDuration'] ?? 0) * 1000 + countPromiseTime(metricValues, performance.now() - requestedAt);
    if (spentMs > scriptMs) return page.fail(scriptTimeoutError(scriptMs));
    // At its limit V8 ends the process without a reason.
    page.heapMb = (metricValues['JSHeapUsedSize'] ?? 0) / 2 ** 20;
    if (page.heapMb > heapMb * 0.9) return page.fail(heapExceededError(heapMb));
    scheduleNext();
  };
  const scheduleNext = () => (timer = setTimeout(() => void check().catch(() => undefined), pollMs));
  scheduleNext();

  return () => {
    active = false;
    clearTimeout(timer);
  };
};

const scriptTimeoutError = (scriptMs: number) => {
  const seconds = Math.ceil(scriptMs / 1000);
  return ApiError.of('javascript_timeout', `The scripts of the document ran longer than ${seconds} s in total.`, {
    timeout_seconds: seconds,
  });
};

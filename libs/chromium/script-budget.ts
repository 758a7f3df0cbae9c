import { Problem } from '#contracts/http/problem.ts';
import { memoryExceeded } from './memory.ts';
import type { Page } from './page.ts';

const pollMs = 100;

/**
 * Fails the page with javascript_timeout once its scripts have run for so many milliseconds together, and with conversion_failed once they fill their heap. The metric is answered even in the middle of
 * an endless loop; a page busy with anything else than scripts answers late, and is left to the deadline of the whole document.
 * Returns what stops the watch.
 */
export const watchScripts = async (page: Page, { scriptMs, heapMb }: { scriptMs: number; heapMb: number }): Promise<() => void> => {
  let watching = true;
  let timer: NodeJS.Timeout | undefined;
  await page.session.send('Performance.enable', { timeDomain: 'timeTicks' });

  const look = async () => {
    const { metrics } = await page.session.send('Performance.getMetrics');
    const metric = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? 0;
    if (!watching) return;
    if (metric('ScriptDuration') * 1000 > scriptMs) return page.fail(timeout(scriptMs));
    // At its limit the engine ends the process, and nothing would tell why.
    if (metric('JSHeapUsedSize') > heapMb * 2 ** 20 * 0.9) return page.fail(memoryExceeded(heapMb));
    later();
  };
  const later = () => (timer = setTimeout(() => void look().catch(() => undefined), pollMs));
  later();

  return () => {
    watching = false;
    clearTimeout(timer);
  };
};

const timeout = (scriptMs: number) => {
  const seconds = Math.ceil(scriptMs / 1000);
  return Problem.of('javascript_timeout', `The scripts of the document ran longer than ${seconds} s together.`, { timeout_seconds: seconds });
};

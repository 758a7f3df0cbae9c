import { Problem } from '#contracts/http/problem.ts';
import type { Page } from './page.ts';

const pollMs = 100;

/**
 * Fails the page with javascript_timeout once its scripts have run for so many milliseconds together. The metric is answered even in the middle of
 * an endless loop; a page busy with anything else than scripts answers late, and is left to the deadline of the whole document.
 * Returns what stops the watch.
 */
export const watchScripts = async (page: Page, scriptMs: number): Promise<() => void> => {
  let watching = true;
  let timer: NodeJS.Timeout | undefined;
  await page.session.send('Performance.enable', { timeDomain: 'timeTicks' });

  const look = async () => {
    const { metrics } = await page.session.send('Performance.getMetrics');
    const seconds = metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0;
    if (!watching) return;
    if (seconds * 1000 > scriptMs) return page.fail(timeout(scriptMs));
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

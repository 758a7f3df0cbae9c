import { TimeoutError, withTimeout } from '#libs/concurrency/timeout.ts';
import type { BrowserInstance } from './instance.ts';
import { memoryOfGroups, remedyFor } from './memory.ts';
import type { PrinterLog } from '../request.ts';

export type WatchSettings = { instances: () => BrowserInstance[]; log: PrinterLog; memoryEveryMs: number; checkEveryMs: number; answerWithinMs: number };

const unlessLate = (answer: Promise<unknown>, milliseconds: number): Promise<boolean> =>
  withTimeout(milliseconds, () => answer).then(() => true, (error: unknown) => !(error instanceof TimeoutError));

const repeat = (everyMs: number, look: () => Promise<void>): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const later = () => {
    if (!stopped) timer = setTimeout(() => void look().catch(() => undefined).finally(later), everyMs).unref();
  };
  later();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
};

const lookAtMemory = async ({ instances, log }: WatchSettings) => {
  const watched = instances();
  const processes = await memoryOfGroups(new Set(watched.map(({ browser }) => browser.processGroup)));
  for (const { browser } of watched) {
    const own = processes.filter(({ processGroup }) => processGroup === browser.processGroup);
    browser.memory.megabytes = Math.round(own.reduce((sum, { megabytes }) => sum + megabytes, 0));
    const remedy = remedyFor(own, browser.memory.limitMb);
    if (remedy.end === 'nothing') continue;
    log.warn({ process_group: browser.processGroup, memory_mb: browser.memory.megabytes, limit_mb: browser.memory.limitMb, end: remedy.end }, 'browser over its memory limit');
    if (remedy.end === 'renderer') browser.memory.kill(remedy.pid);
    else browser.kill();
  }
};

const checkAnswers = async ({ instances, log, answerWithinMs }: WatchSettings) => {
  const feel = async ({ browser }: BrowserInstance) => {
    if (await unlessLate(browser.devtools.send('Browser.getVersion'), answerWithinMs)) return;
    log.warn({ process_group: browser.processGroup }, 'browser hangs');
    browser.kill();
  };
  await Promise.all(instances().map(feel));
};

/** Ends what takes too much memory, and browsers that no longer answer. Returns what stops the watch. */
export const watchOver = (settings: WatchSettings): (() => void) => {
  const stops = [repeat(settings.memoryEveryMs, () => lookAtMemory(settings)), repeat(settings.checkEveryMs, () => checkAnswers(settings))];
  return () => stops.forEach((stop) => stop());
};

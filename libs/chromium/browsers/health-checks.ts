import { TimeoutError, runWithTimeout } from '#libs/concurrency/timeout.ts';
import type { BrowserInstance } from './instance.ts';
import { readGroupMemory, decideKill } from './memory.ts';
import type { PrinterLogger } from '../print-request.ts';

export type HealthCheckOptions = {
  instances: () => BrowserInstance[];
  logger: PrinterLogger;
  memoryCheckIntervalMs: number;
  healthCheckIntervalMs: number;
  responseTimeoutMs: number;
};

const respondsWithin = (answer: Promise<unknown>, milliseconds: number): Promise<boolean> =>
  runWithTimeout(milliseconds, () => answer).then(
    () => true,
    (error: unknown) => !(error instanceof TimeoutError),
  );

const repeatEvery = (everyMs: number, look: () => Promise<void>): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const later = () => {
    if (!stopped)
      timer = setTimeout(
        () =>
          void look()
            .catch(() => undefined)
            .finally(later),
        everyMs,
      ).unref();
  };
  later();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
};

const checkMemory = async ({ instances, logger }: HealthCheckOptions) => {
  const watched = instances();
  const processes = await readGroupMemory(new Set(watched.map(({ browser }) => browser.processGroup)));
  for (const { browser } of watched) {
    const own = processes.filter(({ processGroup }) => processGroup === browser.processGroup);
    browser.memory.usedMb = Math.round(own.reduce((sum, { megabytes }) => sum + megabytes, 0));
    const remedy = decideKill(own, browser.memory.limitMb);
    if (remedy.kill === 'nothing') continue;
    logger.warn(
      {
        process_group: browser.processGroup,
        memory_mb: browser.memory.usedMb,
        limit_mb: browser.memory.limitMb,
        killed: remedy.kill,
      },
      'browser over its memory limit',
    );
    if (remedy.kill === 'renderer') browser.memory.kill(remedy.pid);
    else browser.kill();
  }
};

const checkResponsiveness = async ({ instances, logger, responseTimeoutMs }: HealthCheckOptions) => {
  const feel = async ({ browser }: BrowserInstance) => {
    if (await respondsWithin(browser.devtools.send('Browser.getVersion'), responseTimeoutMs)) return;
    logger.warn({ process_group: browser.processGroup }, 'browser hangs');
    browser.kill();
  };
  await Promise.all(instances().map(feel));
};

/** Ends what takes too much memory, and browsers that no longer answer. Returns what stops the watch. */
export const startHealthChecks = (settings: HealthCheckOptions): (() => void) => {
  const stops = [
    repeatEvery(settings.memoryCheckIntervalMs, () => checkMemory(settings)),
    repeatEvery(settings.healthCheckIntervalMs, () => checkResponsiveness(settings)),
  ];
  return () => stops.forEach((stop) => stop());
};

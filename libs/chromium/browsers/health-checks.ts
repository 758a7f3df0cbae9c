import { pause } from '#libs/concurrency/pause.ts';
import { TimeoutError, runWithTimeout } from '#libs/concurrency/timeout.ts';
import type { BrowserInstance } from './instance.ts';
import { readGroupMemory, decideKill, memoryExceededError, MemoryExceededTogether } from './memory.ts';
import type { PrinterLogger } from '../print-request.ts';

export type HealthCheckOptions = {
  instances: () => BrowserInstance[];
  logger: PrinterLogger;
  memoryCheckIntervalMs: number;
  healthCheckIntervalMs: number;
  responseTimeoutMs: number;
};

const respondsWithin = (response: Promise<unknown>, milliseconds: number): Promise<boolean> =>
  runWithTimeout(milliseconds, () => response).then(
    () => true,
    (error: unknown) => !(error instanceof TimeoutError),
  );

const repeatEvery = async (intervalMs: number, signal: AbortSignal, check: () => Promise<void>): Promise<void> => {
  for (;;) {
    await pause(intervalMs, signal, { ref: false });
    if (signal.aborted) return;
    await check().catch(() => undefined);
  }
};

const checkMemory = async ({ instances, logger }: HealthCheckOptions) => {
  const checked = instances();
  const processes = await readGroupMemory(new Set(checked.map(({ browser }) => browser.processGroup)));
  for (const { browser } of checked) {
    const browserProcesses = processes.filter(({ processGroup }) => processGroup === browser.processGroup);
    browser.memory.usedMb = Math.round(browserProcesses.reduce((sum, { megabytes }) => sum + megabytes, 0));
    const decision = decideKill(browserProcesses, browser.memory.limitMb);
    if (decision.kill === 'nothing') continue;
    logger.warn(
      {
        process_group: browser.processGroup,
        memory_mb: browser.memory.usedMb,
        limit_mb: browser.memory.limitMb,
        killed: decision.kill,
      },
      'browser exceeded its memory limit',
    );
    const { limitMb } = browser.memory;
    // Pages have put much into the browser's own processes, Blobs for example. Which ones did is not known.
    if (decision.kill === 'browser') browser.kill(new MemoryExceededTogether(limitMb));
    else
      browser.memory.kill(
        decision.pid,
        decision.exceedsAlone ? memoryExceededError(limitMb) : new MemoryExceededTogether(limitMb),
      );
  }
};

const checkResponsiveness = async ({ instances, logger, responseTimeoutMs }: HealthCheckOptions) => {
  const checkBrowser = async ({ browser }: BrowserInstance) => {
    if (await respondsWithin(browser.devtools.send('Browser.getVersion'), responseTimeoutMs)) return;
    logger.warn({ process_group: browser.processGroup }, 'browser did not respond, killed');
    browser.kill();
  };
  await Promise.all(instances().map(checkBrowser));
};

/**
 * Kills pages and browsers that use too much memory, and browsers that do not respond. Returns a function that stops
 * the checks.
 */
export const startHealthChecks = (options: HealthCheckOptions): (() => void) => {
  const stopped = new AbortController();
  void repeatEvery(options.memoryCheckIntervalMs, stopped.signal, () => checkMemory(options));
  void repeatEvery(options.healthCheckIntervalMs, stopped.signal, () => checkResponsiveness(options));
  return () => stopped.abort();
};

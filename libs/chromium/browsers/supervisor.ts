import { pause as pauseFor } from '#libs/concurrency/pause.ts';
import { BrowserGone } from '../cdp/errors.ts';
import type { BrowserInstance } from './instance.ts';
import { MemoryExceededTogether } from './memory.ts';
import type { PrinterLogger } from '../print-request.ts';

export type SupervisorOptions = {
  open: () => Promise<BrowserInstance>;
  /** Whether the browser starts at once, or when the first document needs it. */
  start: 'at once' | 'when needed';
  documentsPerBrowser: number;
  logger: PrinterLogger;
  /** Replaces one browser at a time, across all supervisors. */
  runExclusively: (work: () => Promise<void>) => Promise<void>;
  /** Waits for a number of milliseconds, or until the signal aborts. */
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
};

export type Supervisor = {
  /** The running browser, or the next one to start. Rejects with BrowserGone while closing. */
  instance(): Promise<BrowserInstance>;
  current(): BrowserInstance | undefined;
  /** Whether the browser has ended or does not start. One that no document has needed so far is not down. */
  isDown(): boolean;
  starts(): number;
  crashes(): number;
  /** Must be called after each document: replaces the browser when it has reached its number of documents. */
  afterDocument(instance: BrowserInstance): void;
  /** All running browsers, including those being replaced. */
  instances(): BrowserInstance[];
  close(): Promise<void>;
};

const maxRestartDelayMs = 10_000;
const stableAfterMs = 30_000;

/**
 * Keeps a browser running: starts a new one when it ends, with growing delays if it ends repeatedly, and replaces it
 * without a gap after its number of documents. @throws if a browser that starts at once does not start
 */
export const superviseBrowser = async (options: SupervisorOptions): Promise<Supervisor> => {
  const { open, start, documentsPerBrowser, logger, runExclusively, pause = pauseFor } = options;
  const running = new Set<BrowserInstance>();
  let current: BrowserInstance | undefined;
  let starting: Promise<BrowserInstance> | undefined;
  const closed = new AbortController();
  let closing = false;
  let replacing = false;
  let starts = 0;
  let crashes = 0;
  let consecutiveFailures = 0;

  const activate = (instance: BrowserInstance): BrowserInstance => {
    running.add(instance);
    current = instance;
    starts += 1;
    void instance.browser.devtools.closed.then(() => {
      if (current === instance) onUnexpectedEnd(instance);
    });
    void instance.browser.ended.then(() => running.delete(instance));
    logger.info({ browser: instance.browser.version, process_group: instance.browser.processGroup }, 'browser started');
    return instance;
  };

  const onUnexpectedEnd = (instance: BrowserInstance) => {
    current = undefined;
    if (closing) return;
    crashes += 1;
    // A browser that was killed for the memory of its documents worked.
    const isFailure =
      !(instance.browser.killReason instanceof MemoryExceededTogether) &&
      performance.now() - instance.startedAt < stableAfterMs;
    consecutiveFailures = isFailure ? consecutiveFailures + 1 : 0;
    logger.warn({ process_group: instance.browser.processGroup, documents: instance.documents }, 'browser ended');
    void startRetrying();
  };

  const startRetrying = (): Promise<BrowserInstance> => {
    starting = startWithRetry();
    starting.catch(() => undefined);
    return starting;
  };

  const startWithRetry = async (): Promise<BrowserInstance> => {
    for (;;) {
      const delayMs = consecutiveFailures === 0 ? 0 : Math.min(maxRestartDelayMs, 100 * 2 ** consecutiveFailures);
      await pause(delayMs, closed.signal);
      if (closing) throw new BrowserGone('The printer is closing.');
      try {
        const instance = await open();
        if (!closing) return activate(instance);
        await instance.browser.close();
      } catch (error) {
        consecutiveFailures += 1;
        logger.error({ err: error }, 'browser failed to start');
      }
    }
  };

  const replace = (old: BrowserInstance) =>
    runExclusively(async () => {
      if (closing || current !== old) return;
      const next = await open();
      if (closing || current !== old) return next.browser.close();
      activate(next);
      await Promise.race([old.untilIdle(), old.browser.ended]);
      await old.browser.close();
    });

  if (start === 'at once') await (starting = open().then(activate));

  return {
    instance: async () => current ?? starting ?? startRetrying(),
    current: () => current,
    isDown: () => current === undefined && starts + consecutiveFailures > 0,
    starts: () => starts,
    crashes: () => crashes,
    instances: () => [...running],
    afterDocument: (instance) => {
      if (replacing || closing || instance !== current || instance.documents < documentsPerBrowser) return;
      replacing = true;
      replace(instance)
        .catch((error: unknown) => logger.error({ err: error }, 'browser replacement failed'))
        .finally(() => (replacing = false));
    },
    close: async () => {
      closing = true;
      closed.abort();
      await starting?.catch(() => undefined);
      await Promise.all([...running].map(({ browser }) => browser.close()));
    },
  };
};

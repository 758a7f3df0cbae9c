import { setTimeout as pause } from 'node:timers/promises';
import { BrowserGone } from '../cdp/errors.ts';
import type { BrowserInstance } from './instance.ts';
import type { PrinterLogger } from '../print-request.ts';

export type SupervisorOptions = {
  open: () => Promise<BrowserInstance>;
  /** After so many documents a new browser takes over. */
  documentsPerBrowser: number;
  logger: PrinterLogger;
  /** Lets one browser at a time be replaced, over all supervisors. */
  runExclusively: (work: () => Promise<void>) => Promise<void>;
};

export type Supervisor = {
  /** The browser that is up; waits for one to come up. Rejects with BrowserGone when closing. */
  instance(): Promise<BrowserInstance>;
  current(): BrowserInstance | undefined;
  /** How often a browser has come up, the first time included. */
  starts(): number;
  /** How often a browser ended without having been told to. */
  crashes(): number;
  /** To be called after each document: sees whether the browser has served its time. */
  afterDocument(instance: BrowserInstance): void;
  /** Every browser that is up, those on their way out included. */
  instances(): BrowserInstance[];
  close(): Promise<void>;
};

const maxRestartDelayMs = 10_000;
const stableAfterMs = 30_000;

/** Keeps a browser up: starts the next one when one ends, later and later while they end soon, and replaces one that has served its time without a gap. */
export const superviseBrowser = async ({
  open,
  documentsPerBrowser,
  logger,
  runExclusively,
}: SupervisorOptions): Promise<Supervisor> => {
  const up = new Set<BrowserInstance>();
  const rests = new Map<BrowserInstance, () => void>();
  let current: BrowserInstance | undefined;
  let coming: Promise<BrowserInstance>;
  const closed = new AbortController();
  let closing = false;
  let replacing = false;
  let starts = 0;
  let crashes = 0;
  let soonEnded = 0;

  const take = (instance: BrowserInstance): BrowserInstance => {
    up.add(instance);
    current = instance;
    starts += 1;
    void instance.browser.devtools.closed.then(() => {
      if (current === instance) lost(instance);
    });
    void instance.browser.ended.then(() => {
      up.delete(instance);
      rests.get(instance)?.();
    });
    logger.info({ browser: instance.browser.version, process_group: instance.browser.processGroup }, 'browser up');
    return instance;
  };

  const lost = (instance: BrowserInstance) => {
    current = undefined;
    if (closing) return;
    crashes += 1;
    soonEnded = performance.now() - instance.startedAt < stableAfterMs ? soonEnded + 1 : 0;
    logger.warn({ process_group: instance.browser.processGroup, documents: instance.documents }, 'browser ended');
    comeBack();
  };

  const comeBack = () => {
    coming = startAgain();
    coming.catch(() => undefined);
  };

  const startAgain = async (): Promise<BrowserInstance> => {
    for (;;) {
      await pause(soonEnded === 0 ? 0 : Math.min(maxRestartDelayMs, 100 * 2 ** soonEnded), undefined, {
        signal: closed.signal,
      }).catch(() => undefined);
      if (closing) throw new BrowserGone('The printer is closing.');
      try {
        const instance = await open();
        if (!closing) return take(instance);
        await instance.browser.close();
      } catch (error) {
        soonEnded += 1;
        logger.error({ err: error }, 'browser does not start');
      }
    }
  };

  const atRest = (instance: BrowserInstance) =>
    new Promise<void>((resolve) => {
      rests.set(instance, resolve);
      if (instance.runningDocuments === 0) resolve();
    });

  const replace = (old: BrowserInstance) =>
    runExclusively(async () => {
      if (closing || current !== old) return;
      const next = await open();
      if (closing || current !== old) return next.browser.close();
      take(next);
      await atRest(old);
      rests.delete(old);
      await old.browser.close();
    });

  coming = open().then(take);
  await coming;

  return {
    instance: async () => current ?? coming,
    current: () => current,
    starts: () => starts,
    crashes: () => crashes,
    instances: () => [...up],
    afterDocument: (instance) => {
      if (instance.runningDocuments === 0) rests.get(instance)?.();
      if (replacing || closing || instance !== current || instance.documents < documentsPerBrowser) return;
      replacing = true;
      replace(instance)
        .catch((error: unknown) => logger.error({ err: error }, 'browser could not be replaced'))
        .finally(() => (replacing = false));
    },
    close: async () => {
      closing = true;
      closed.abort();
      await coming.catch(() => undefined);
      await Promise.all([...up].map(({ browser }) => browser.close()));
    },
  };
};

import { setTimeout as pause } from 'node:timers/promises';
import { BrowserGone } from './devtools/gone.ts';
import type { House } from './house.ts';
import type { PrinterLog } from './request.ts';

export type SupervisorSettings = {
  open: () => Promise<House>;
  /** After so many documents a new browser takes over. */
  documentsPerBrowser: number;
  log: PrinterLog;
  /** Lets one browser at a time be replaced, over all supervisors. */
  oneAtATime: (work: () => Promise<void>) => Promise<void>;
};

export type Supervisor = {
  /** The browser that is up; waits for one to come up. Rejects with BrowserGone when closing. */
  house(): Promise<House>;
  current(): House | undefined;
  /** How often a browser has come up, the first time included. */
  starts(): number;
  /** How often a browser ended without having been told to. */
  crashes(): number;
  /** To be called after each document: sees whether the browser has served its time. */
  afterDocument(house: House): void;
  /** Every browser that is up, those on their way out included. */
  houses(): House[];
  close(): Promise<void>;
};

const longestPauseMs = 10_000;
const settledAfterMs = 30_000;

/** Keeps a browser up: starts the next one when one ends, later and later while they end soon, and replaces one that has served its time without a gap. */
export const supervise = async ({ open, documentsPerBrowser, log, oneAtATime }: SupervisorSettings): Promise<Supervisor> => {
  const up = new Set<House>();
  const rests = new Map<House, () => void>();
  let current: House | undefined;
  let coming: Promise<House>;
  const closed = new AbortController();
  let closing = false;
  let replacing = false;
  let starts = 0;
  let crashes = 0;
  let soonEnded = 0;

  const take = (house: House): House => {
    up.add(house);
    current = house;
    starts += 1;
    void house.browser.devtools.closed.then(() => {
      if (current === house) lost(house);
    });
    void house.browser.ended.then(() => {
      up.delete(house);
      rests.get(house)?.();
    });
    log.info({ browser: house.browser.version, process_group: house.browser.processGroup }, 'browser up');
    return house;
  };

  const lost = (house: House) => {
    current = undefined;
    if (closing) return;
    crashes += 1;
    soonEnded = performance.now() - house.since < settledAfterMs ? soonEnded + 1 : 0;
    log.warn({ process_group: house.browser.processGroup, documents: house.documents }, 'browser ended');
    comeBack();
  };

  const comeBack = () => {
    coming = startAgain();
    coming.catch(() => undefined);
  };

  const startAgain = async (): Promise<House> => {
    for (;;) {
      await pause(soonEnded === 0 ? 0 : Math.min(longestPauseMs, 100 * 2 ** soonEnded), undefined, { signal: closed.signal }).catch(() => undefined);
      if (closing) throw new BrowserGone('The printer is closing.');
      try {
        const house = await open();
        if (!closing) return take(house);
        await house.browser.close();
      } catch (error) {
        soonEnded += 1;
        log.error({ err: error }, 'browser does not start');
      }
    }
  };

  const atRest = (house: House) =>
    new Promise<void>((resolve) => {
      rests.set(house, resolve);
      if (house.busy === 0) resolve();
    });

  const replace = (old: House) =>
    oneAtATime(async () => {
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
    house: async () => current ?? coming,
    current: () => current,
    starts: () => starts,
    crashes: () => crashes,
    houses: () => [...up],
    afterDocument: (house) => {
      if (house.busy === 0) rests.get(house)?.();
      if (replacing || closing || house !== current || house.documents < documentsPerBrowser) return;
      replacing = true;
      replace(house)
        .catch((error: unknown) => log.error({ err: error }, 'browser could not be replaced'))
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

import { expect, test } from 'vitest';
import { silentLogger } from '../testing/printing.ts';
import type { BrowserInstance } from './instance.ts';
import { MemoryExceededTogether } from './memory.ts';
import { superviseBrowser } from './supervisor.ts';

/** A browser without processes. `kill` ends it. */
const openSimulatedBrowser = async (): Promise<BrowserInstance> => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const browser = {
    devtools: { closed },
    ended: closed,
    killReason: null as Error | null,
    kill: (reason: Error) => {
      browser.killReason = reason;
      resolve();
    },
    close: async () => resolve(),
  };
  return { browser, documents: 0, startedAt: performance.now() } as unknown as BrowserInstance;
};

// With a longer delay after each kill, 40 starts would take longer than a test may.
test('a browser that was killed for the memory of its documents is replaced without a delay, however often', async () => {
  const supervisor = await superviseBrowser({
    open: openSimulatedBrowser,
    start: 'at once',
    documentsPerBrowser: 1_000,
    logger: silentLogger,
    runExclusively: (work) => work(),
  });
  for (let starts = 1; starts <= 40; starts += 1) {
    await expect.poll(() => supervisor.current(), { interval: 1 }).toBeDefined();
    expect(supervisor.starts()).toBe(starts);
    supervisor.current()!.browser.kill(new MemoryExceededTogether(450));
    await expect.poll(() => supervisor.crashes(), { interval: 1 }).toBe(starts);
  }
  await supervisor.close();
});

test('failed starts before a browser ran do not delay its replacement after such a kill', async () => {
  let failures = 4;
  const delays: number[] = [];
  const supervisor = await superviseBrowser({
    open: () => (failures-- > 0 ? Promise.reject(new Error('no start')) : openSimulatedBrowser()),
    start: 'when needed',
    documentsPerBrowser: 1_000,
    logger: silentLogger,
    runExclusively: (work) => work(),
    pause: async (milliseconds) => void delays.push(milliseconds),
  });
  const { browser } = await supervisor.instance();
  expect(delays).toEqual([0, 200, 400, 800, 1600]);
  browser.kill(new MemoryExceededTogether(450));
  await expect.poll(() => supervisor.starts(), { interval: 1 }).toBe(2);
  expect(delays.at(-1)).toBe(0);
  await supervisor.close();
});

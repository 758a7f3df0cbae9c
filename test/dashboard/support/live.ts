import { expect, type Locator } from '@playwright/test';

/** Longer than between two loads of statistics. */
const stepMs = 5_000;

/**
 * Requires that an element gets this text after an event, however long the page waits before it loads its figures again:
 * `page.clock` has been installed, and is put forward.
 */
export const expectLive = async (element: Locator, text: string | RegExp): Promise<void> =>
  expect
    .poll(async () => {
      await element.page().clock.fastForward(stepMs);
      return element.textContent();
    })
    .toMatch(typeof text === 'string' ? new RegExp(`^${text}$`) : text);

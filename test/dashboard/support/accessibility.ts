import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, type Locator, type Page } from '@playwright/test';
import type axe from 'axe-core';
import type { Result, RunOnly } from 'axe-core';

/** Less than half of `axe.source`, which each page must parse. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The second colour scheme is checked by the rules about colours: the others do not depend on it. */
const rules: Record<'light' | 'dark', RunOnly> = {
  light: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
  dark: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
};

const findViolations = async (page: Page, runOnly: RunOnly): Promise<Result[]> => {
  expect(page.frames(), 'frames, in which axe does not run').toHaveLength(1);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  return page.evaluate(
    async (options) => (await (window as unknown as { axe: typeof axe }).axe.run(options)).violations,
    {
      runOnly,
      resultTypes: ['violations' as const],
    },
  );
};

/** What is in the place of something that is loading. */
export const placeholders = '.loading, .skeleton, .table-skeleton, [aria-busy=true]';

/** Waits until the page has been drawn. */
export const waitForFrames = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

/** Requires that every text of the page can be read in this colour scheme. */
export const expectReadable = async (page: Page, colorScheme: 'light' | 'dark'): Promise<void> => {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await waitForFrames(page);
  const found = await findViolations(page, { type: 'rule', values: ['color-contrast'] });
  expect(found.flatMap(({ nodes }) => nodes.map(({ html, failureSummary }) => [html, failureSummary]))).toEqual([]);
};

/** Requires that the page, when it has loaded, breaks no rule of WCAG 2.2 AA, light and dark. */
export const expectAccessible = async (page: Page): Promise<void> => {
  // Parts that come and go meanwhile would be judged by what is left of them.
  await expect(page.locator('h1').first()).toBeVisible();
  await expect(page.locator(placeholders)).toHaveCount(0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await waitForFrames(page);
    const found = (await findViolations(page, rules[colorScheme])).map(({ id, nodes }) => [
      id,
      nodes.map(({ html, failureSummary }) => [html, failureSummary]),
    ]);
    expect(found, `${page.url()} in ${colorScheme}`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
};

/** Changes the size of the window, and waits until the page is laid out and drawn in it. */
const resize = async (page: Page, size: { width: number; height: number }): Promise<void> => {
  await page.setViewportSize(size);
  await expect.poll(() => page.evaluate(() => window.innerWidth)).toBe(size.width);
  await waitForFrames(page);
};

/**
 * Requires that nothing is wider than the smallest phone. No list may be opened afterwards: the change of size can close it.
 */
export const expectFitsPhone = async (page: Page): Promise<void> => {
  const size = page.viewportSize()!;
  await resize(page, { width: 360, height: 740 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await resize(page, size);
};

/** Requires that the names and all columns of a list have room on tablets, and that the page is not wider than its window. */
export const expectNamesFitTablet = async (page: Page, list: Locator): Promise<void> => {
  const size = page.viewportSize()!;
  for (const width of [768, 960, 1024, 1200]) {
    await resize(page, { width, height: 900 });
    const name = list.locator('.table-body').getByRole('cell').first();
    await expect.poll(async () => (await name.boundingBox())?.width, `${width} px`).toBeGreaterThanOrEqual(128);
    const head = list.locator('.table-head [role=row]');
    expect(await head.evaluate((row) => row.scrollWidth - row.clientWidth), `${width} px`).toBeLessThanOrEqual(0);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
  await resize(page, size);
};

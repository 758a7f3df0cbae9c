import type { Locator, Page } from '@playwright/test';

/** The value of a figure of the overview. */
export const figure = (page: Page, label: string): Locator =>
  page.locator('.stat').filter({ hasText: label }).locator('.stat-value');

export const latest = (page: Page): Locator => page.getByRole('region', { name: 'Latest renders' });

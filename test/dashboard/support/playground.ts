import type { Page } from '@playwright/test';

/** Shows every option of the playground. */
export const showOptions = async (page: Page): Promise<void> => {
  await page.getByText('Options', { exact: true }).click();
  await page.getByRole('button', { name: 'Unfold all groups' }).click();
};

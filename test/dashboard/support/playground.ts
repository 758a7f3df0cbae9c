import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';

/** Shows every option of the playground. */
export const showOptions = async (page: Page): Promise<void> => {
  await page.getByText('Options', { exact: true }).click();
  await page.getByRole('button', { name: 'Unfold all groups' }).click();
};

/** The path of a document of the fixtures. */
export const sample = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/documents/${name}`, import.meta.url));
/** What the request gave: the PDF with its figures. */
export const result = (page: Page) => page.getByRole('region', { name: 'PDF' });
export const makePdf = (page: Page) => page.getByRole('button', { name: 'Make the PDF' }).click();
/** Chooses a value of a list. */
export const chooseOption = async (page: Page, label: string, name: string): Promise<void> => {
  await page.getByRole('button', { name: new RegExp(label) }).click();
  await page.getByRole('option', { name, exact: true }).click();
};
export const chooseType = (page: Page, name: string): Promise<void> => chooseOption(page, 'Input type', name);

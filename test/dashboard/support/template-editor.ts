import { expect, type Page } from '@playwright/test';
import { readPdf } from '../../support/documents/read-pdf.ts';
import type { DashboardService } from './dashboard-service.ts';

/** The HTML of the template that the tests edit, and its other fields. */
export const content = '<h1>Hello {{name}}</h1>\n';
export const greeting = {
  name: 'Greeting',
  sample_data: { name: 'Ada', items: [{ title: 'Ink', price: 4 }] },
  variables: [{ name: 'name', type: 'string', required: true }],
  labels: { en: { total: 'Total' }, de: { total: 'Summe' } },
};

type Account = Awaited<ReturnType<DashboardService['openAccount']>>;
export const openGreeting = async (
  dashboard: DashboardService,
  context: Parameters<DashboardService['openTemplates']>[0],
) => {
  const account: Account = await dashboard.openAccount();
  const { id } = await account.templates.create(content, greeting);
  const page = await dashboard.openTemplates(context, account, 'developer', `/${id}`);
  await expect(page.locator('.live-preview[data-state=current] [data-drawn-page]')).toBeVisible();
  return { account, id, page, shown: await watchPreviews(page) };
};

export const code = (page: Page) => page.getByRole('textbox', { name: 'HTML of the template' });
export const save = (page: Page) => page.getByRole('button', { name: 'Save version' });
export const part = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });

/** Moves to the end of the template. */
export const goToEnd = async (page: Page): Promise<void> => {
  await code(page).click();
  await page.keyboard.press('Control+End');
};

type Preview = { status: number; text: string; isLandscape: boolean };
/** The last preview that the page got. A browser does not give the body of a PDF to a test, so it is taken on its way. */
export const watchPreviews = async (page: Page): Promise<() => Preview | undefined> => {
  let last: Preview | undefined;
  let begun = 0;
  let lastNumber = 0;
  await page.route('**/api/v1/templates/preview', async (route) => {
    const number = (begun += 1);
    // A newer preview, or the end of the test, takes the request away.
    const response = await route.fetch().catch(() => null);
    const body = await response?.body().catch(() => null);
    if (!response || !body) return;
    const pages = response.ok() ? await readPdf(body.toString('base64')) : [];
    const text = response.ok() ? pages.map((sheet) => sheet.text).join('\n') : body.toString();
    if (number > lastNumber) {
      lastNumber = number;
      last = { status: response.status(), text, isLandscape: pages.some(({ width, height }) => width > height) };
    }
    await route.fulfill({ response, body }).catch(() => undefined);
  });
  return () => last;
};
export const expectText = (preview: () => Preview | undefined, text: string): Promise<void> =>
  expect.poll(() => preview()?.text).toContain(text);

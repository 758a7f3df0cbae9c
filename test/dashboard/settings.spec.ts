import { expect, type Page } from '@playwright/test';
import { expectAccessible, expectFitsPhone } from './support/accessibility.ts';
import { type DashboardService, test } from './support/dashboard-service.ts';
import { failure } from './support/failure.ts';

let service: DashboardService;
let accountId: string;
test.beforeAll(async ({ dashboard }) => {
  service = dashboard;
  accountId = (await service.openAccount('Paper Mill')).id;
});

const open = async (page: Page): Promise<void> => {
  await page.goto(`${service.url}/dashboard/settings`);
  await expect(page.getByRole('heading', { name: 'Defaults for renders' })).toBeVisible();
};
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });
const settings = async (page: Page): Promise<unknown> =>
  (await page.request.get(`${service.url}/api/v1/account/settings`)).json();

test('An owner changes the settings', async ({ browser }) => {
  const page = await service.openPage(browser, { email: 'ada.settings@example.com', accountId, role: 'owner' });
  await open(page);
  await expect(page.getByText(accountId)).toBeVisible();
  for (const text of ['intranet.example', '10.0.0.0/8', 'COLOPHON_EGRESS_ALLOW'])
    await expect(page.getByText(text, { exact: true })).toBeVisible();
  await expect(page.getByRole('row', { name: /^PDFs of asynchronous renders/ })).toContainText('1 hour');
  await expectAccessible(page);

  await page.getByLabel('Account name').fill('Paper Mill Graz');
  await page.getByRole('combobox', { name: 'Language and region' }).fill('de-A');
  await page.getByRole('option', { name: /de-AT/ }).click();
  await expect(page.getByText(/Dates and amounts look like this: 31\. März 2026, €\s?1\.234,50/)).toBeVisible();
  await page.getByRole('combobox', { name: 'Time zone' }).fill('vienna');
  await expect(page.getByRole('option', { name: /Vienna/ }).first()).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('combobox', { name: 'Time zone' })).toHaveValue('Europe/Vienna');
  await page.getByRole('button', { name: 'Keep PDFs for' }).click();
  await page.getByRole('option', { name: '1 day' }).click();
  await save(page).click();
  await expect(page.getByText('The settings are saved')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Switch account: Paper Mill Graz/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /^PDFs of asynchronous renders/ })).toContainText('1 day');
  expect(await settings(page)).toMatchObject({
    name: 'Paper Mill Graz',
    locale: 'de-AT',
    time_zone: 'Europe/Vienna',
    pdf_retention_minutes: 1440,
  });
  await page.reload();
  await expect(page.getByRole('combobox', { name: 'Language and region' })).toHaveValue('de-AT');
  await expect(save(page)).toHaveAttribute('aria-disabled', 'true');
  await expectFitsPhone(page);
});

test('A wrong value is explained at its field, and undone', async ({ browser }) => {
  const page = await service.openPage(browser, { email: 'ada.settings@example.com', accountId, role: 'owner' });
  await open(page);
  const before = await settings(page);
  await page.getByRole('combobox', { name: 'Language and region' }).fill('not a tag');
  await page.keyboard.press('Escape');
  await expect(page.getByText('This is not a language tag such as de-AT.')).toBeVisible();
  await save(page).click();
  await expect(page.getByRole('combobox', { name: 'Language and region' })).toHaveAttribute('aria-invalid', 'true');
  await page.getByRole('button', { name: 'Undo the changes' }).click();
  await expect(save(page)).toHaveAttribute('aria-disabled', 'true');
  expect(await settings(page)).toEqual(before);
  await page.getByLabel('Account name').fill('');
  // The first attempt has ended.
  await expect(save(page)).not.toHaveAttribute('aria-disabled', 'true');
  await page.getByLabel('Account name').press('Enter');
  await expect(page.getByText(/must be|Too small|at least/).first()).toBeVisible();
});

for (const role of ['developer', 'viewer'] as const)
  test(`A ${role} reads the settings and changes nothing, by page or by request`, async ({ browser }) => {
    const page = await service.openPage(browser, { email: `${role}@example.com`, accountId, role });
    await open(page);
    await expect(page.getByLabel('Account name')).toBeDisabled();
    await expect(page.getByRole('combobox', { name: 'Time zone' })).toBeDisabled();
    await expect(save(page)).toHaveAttribute('aria-disabled', 'true');
    expect(await service.send(page, 'PUT', '/account/settings', { name: 'Mine' })).toBe(403);
    await expectAccessible(page);
  });

test('The page has a state for loading and for errors', async ({ browser }) => {
  const page = await service.openPage(browser, { email: 'ada.settings@example.com', accountId, role: 'owner' });
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/v1/account/settings', async (route) => {
    await held;
    await route.fulfill(failure);
  });
  await page.goto(`${service.url}/dashboard/settings`);
  await expect(page.getByRole('status', { name: 'Loading' }).first()).toBeVisible();
  answer();
  await expect(page.getByRole('alert')).toContainText('The service failed.');
  await page.unroute('**/api/v1/account/settings');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByLabel('Account name')).toBeVisible();
});

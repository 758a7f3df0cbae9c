import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { expect, type Page } from '@playwright/test';
import { bareId } from '#contracts/names.ts';
import { appendRender } from '../support/renders/append-histories.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { expectAccessible, expectFitsPhone } from './support/accessibility.ts';
import { test } from './support/dashboard-service.ts';
import { expectLive } from './support/live.ts';

const rows = (page: Page) => page.locator('.table-body').getByRole('row');
const choose = (page: Page, view: string) => page.getByRole('tab', { name: view }).click();

/** The records of the file that the button downloads. */
const downloadCsv = async (page: Page) => {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const file = await download;
  const text = await readFile(await file.path(), 'utf8');
  const records = parse<Record<string, string>>(text, { columns: true, record_delimiter: '\r\n' });
  return { name: file.suggestedFilename(), records };
};

/** The colour of a side of each element. */
const colorsOf = (page: Page, selector: string, property: 'backgroundColor' | 'borderBottomColor' | 'color') =>
  page
    .locator(selector)
    .evaluateAll((elements, name) => elements.map((element) => getComputedStyle(element)[name]), property);

test('In the colours of a contrast theme, what is chosen, used and drawn can be told', async ({
  browser,
  dashboard,
}) => {
  const account = await dashboard.openAccount();
  await account.client.render('html', '<p>first');
  const page = await dashboard.openPage(browser, { accountId: account.id, role: 'owner' });
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto('/dashboard/usage');
  await expect(page.locator('.u-marker').nth(2)).toBeVisible();
  const [tab, ...otherTabs] = await colorsOf(page, '[role=tab]', 'borderBottomColor');
  expect(otherTabs).not.toContain(tab);
  const [, renders, failed] = await colorsOf(page, '.u-marker', 'borderBottomColor');
  expect(failed).not.toBe(renders);
  const [used] = await colorsOf(page, '.meter > span', 'backgroundColor');
  expect(await colorsOf(page, '.meter', 'backgroundColor')).not.toContain(used);
  const [current] = await colorsOf(page, '[aria-current=page]', 'backgroundColor');
  expect(await colorsOf(page, '.sidebar-link:not([aria-current])', 'backgroundColor')).not.toContain(current);
  await page.goto('/dashboard/keys?dialog=create');
  await expect(page.getByRole('dialog')).toBeVisible();
  const [checked] = await colorsOf(page, '[data-selected] > .checkbox-box', 'color');
  expect(await colorsOf(page, '.checkbox:not([data-selected]) > .checkbox-box', 'color')).not.toContain(checked);
});

test('The usage is shown by day, month, key, template and input type, and downloaded as CSV', async ({
  browser,
  dashboard,
}) => {
  const account = await dashboard.openAccount();
  const { id: templateId } = await account.templates.create('<p>{{x}}</p>', { name: '=Offer' });
  await account.client.postRender({ mode: 'RENDER', template_id: templateId, data: { x: 1 } });
  await account.client.postRender({ mode: 'RENDER', template_id: templateId, data: {} });
  await account.client.render('markdown', '# Hello');
  await account.client.postRender({
    mode: 'COMPOSE',
    parts: [{ mode: 'CONVERT', input_type: 'html', data: '<p>part' }],
  });
  const now = new Date();
  const lastMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 15)).toISOString();
  await withInstallationEngines(dashboard.installation, ({ store }) =>
    appendRender(store, {
      accountId: bareId('acc', account.id)!,
      at: lastMonth,
      keyId: null,
      personId: bareId('acc', account.id)!,
    }),
  );

  const page = await dashboard.openPage(browser, { accountId: account.id, role: 'owner' }, '/usage');
  await expect(rows(page).first()).toContainText('4');
  await expect(page.getByRole('figure', { name: /Renders by day/ })).toBeVisible();
  await expectAccessible(page);
  await expectFitsPhone(page);

  await choose(page, 'By template');
  await expect(page).toHaveURL(/\?by=template$/);
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText('=Offer');
  await expect(rows(page)).toContainText('50 %');
  const { name, records } = await downloadCsv(page);
  expect(name).toBe(`usage-by-template-${now.toISOString().slice(0, 7)}.csv`);
  expect(records).toMatchObject([{ template: templateId, name: "'=Offer", renders: '2', failed: '1' }]);

  await choose(page, 'By key');
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page).getByRole('link')).toHaveAttribute('href', /\/keys\/key_/);
  await choose(page, 'By input type');
  await expect(rows(page).filter({ hasText: 'markdown' })).toBeVisible();
  await page.getByRole('link', { name: 'composition' }).click();
  await expect(page.getByRole('button', { name: /Composed of parts/ })).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
  await page.goBack();
  await choose(page, 'By month');
  await expect(rows(page)).toHaveCount(12);
  await expect(rows(page).nth(1)).toContainText('1');

  await page.getByRole('button', { name: /^(?:Month )?[A-Z][a-z]+ \d{4}/ }).click();
  await page.getByRole('option').nth(1).click();
  await choose(page, 'By key');
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText('Person');
  await expect(page).toHaveURL(new RegExp(`month=${lastMonth.slice(0, 7)}`));
  await page.context().close();
});

test('The limits of the plan show how near they are, and follow renders without loading the page again', async ({
  browser,
  dashboard,
}) => {
  const account = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId: account.id, role: 'viewer' });
  await page.clock.install();
  await page.goto('/dashboard/usage');
  await expect(page.getByText('No renders in this month')).toBeVisible();
  await expectAccessible(page);
  const limits = page.getByRole('region', { name: /Limits of the .+ plan/ });
  const quota = limits.locator('.usage-limit').filter({ hasText: 'Renders this month' });
  await expect(quota).toContainText(/^Renders this month0/);
  await account.client.render('html', '<p>live');
  await expectLive(quota, /^Renders this month1/);
  await expect(rows(page).first()).toContainText('1');
  await expect(limits).toContainText('Script time');
  await page.context().close();
});

test('A failure to load the usage is shown, and can be tried again', async ({ browser, dashboard }) => {
  const account = await dashboard.openAccount();
  await account.client.render('html', '<p>first');
  const page = await dashboard.openPage(browser, { accountId: account.id, role: 'developer' });
  // The page would load the figures again at the first message of the stream.
  await page.route('**/api/v1/events/live', (route) => route.fulfill({ status: 403, json: {} }));
  const broken = '**/api/v1/usage/breakdown*';
  await page.route(broken, (route) => route.fulfill({ status: 500, json: { error: 'internal_error', message: 'no' } }));
  await page.goto('/dashboard/usage');
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('This did not work');
  await page.unroute(broken);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(rows(page).first()).toContainText('1');
  await page.context().close();
});

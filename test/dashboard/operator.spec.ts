import { expect, type Page } from '@playwright/test';
import { expectAccessible, expectFitsPhone, expectNamesFitTablet } from './support/accessibility.ts';
import { type DashboardService, test } from './support/dashboard-service.ts';
import { failure } from './support/failure.ts';

let service: DashboardService;
let mill: string;
let key: string;
test.beforeAll(async ({ dashboard }) => {
  service = dashboard;
  ({ id: mill, key } = await service.openAccount('Papyrus Press'));
  await service.openAccount('Printing Works');
});

const operator = { email: 'ops@example.com', operator: true };
const open = (page: Page, path = ''): Promise<unknown> => page.goto(`${service.url}/dashboard/operator${path}`);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const withKey = async (page: Page): Promise<{ status: number; headers: Record<string, string> }> => {
  const headers = { authorization: `Bearer ${key}` };
  const response = await page.request.get(`${service.url}/api/v1/account`, { headers });
  return { status: response.status(), headers: response.headers() };
};

test('An operator sees all accounts, and finds one', async ({ browser }) => {
  const page = await service.openPage(browser, operator);
  await open(page);
  for (const name of ['Papyrus Press', 'Printing Works']) await expect(row(page, name)).toBeVisible();
  await expectAccessible(page);
  await expectFitsPhone(page);
  await page.keyboard.press('/');
  await page.keyboard.type('papyrus');
  await expect(row(page, 'Printing Works')).toHaveCount(0);
  await expect(row(page, 'Papyrus Press')).toBeVisible();
  await expect(page).toHaveURL(/search=papyrus/);
  await page.getByRole('searchbox', { name: 'Name or id' }).fill('nothing like it');
  await expect(page.getByText('No account matches')).toBeVisible();
});

test('The names of accounts, members, invitations and sessions have room on a tablet', async ({ browser }) => {
  const { id } = await service.openAccount('Papyrus and Parchment');
  const page = await service.openPage(browser, { ...operator, accountId: id, role: 'owner' });
  const headers = { origin: service.url, 'x-colophon-account': id };
  const invitation = { email: 'margarete.muster@example.com', role: 'viewer' };
  await page.request.post('/api/v1/invitations', { headers, data: invitation });
  const lists = { operator: ['All accounts'], people: [/^Members/, 'Invitations'], account: ['Sessions'] };
  for (const [path, names] of Object.entries(lists)) {
    await page.goto(`/dashboard/${path}?account=${id}`);
    for (const name of names) await expectNamesFitTablet(page, page.getByRole('table', { name }));
  }
});

test('An operator opens an account and gives it an owner', async ({ browser }) => {
  const page = await service.openPage(browser, operator);
  await open(page);
  await button(page, 'Open an account').click();
  await page.getByLabel('Name', { exact: true }).fill('Quill & Sons');
  await page.getByRole('dialog').getByRole('button', { name: 'Plan' }).click();
  await page.getByRole('option', { name: 'Starter' }).click();
  await expect(page.getByText('The plan has 1,000.')).toBeVisible();
  await page.getByLabel('Requests a minute').fill('-1');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog').getByText(/requests_per_minute/)).toBeVisible();
  await page.getByLabel('Requests a minute').fill('45');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Quill & Sons' })).toBeVisible();
  await expect(page.getByRole('row', { name: /^Requests a minute/ })).toContainText('own 45');
  await button(page, 'Link for an owner').click();
  await page.getByLabel('Email').fill('quill@example.com');
  await page.keyboard.press('Enter');
  const link = await page.getByRole('alertdialog', { name: 'Pass on this link' }).locator('pre').textContent();
  await expectAccessible(page);
  const token = link!.split('#')[1];
  const owner = await browser.newContext();
  const headers = { origin: service.url };
  const signedIn = await owner.request.post(`${service.url}/api/v1/session`, { data: { token }, headers });
  expect(await signedIn.json()).toMatchObject({ accounts: [{ name: 'Quill & Sons', role: 'owner' }] });
});

test('A suspended account is named as such on its pages, with the reason and the time', async ({ browser }) => {
  const { id } = await service.openAccount('Ink Company');
  const member = await service.openPage(browser, { accountId: id, role: 'owner' }, '/keys');
  const page = await service.openPage(browser, operator);
  await expect(member.getByRole('heading', { name: 'API keys' })).toBeVisible();
  expect(await service.send(page, 'POST', `/operator/accounts/${id}/suspend`, { reason: 'invoice 7 is unpaid' })).toBe(
    200,
  );
  const notice = member.locator('.notice', { hasText: 'This account is suspended' });
  await button(member, 'Create a key').click();
  await member.getByRole('dialog').getByLabel('Name').fill('late');
  await member.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click();
  await expect(member.getByRole('dialog')).toContainText('invoice 7 is unpaid');
  await expect(member.getByRole('dialog')).not.toContainText(/T\d\d:\d\d:\d\d/);
  await member.keyboard.press('Escape');
  await member.reload();
  await expect(member.getByRole('heading', { level: 1, name: 'API keys' })).toBeVisible();
  await expect(notice).toBeVisible();
  for (const name of ['Renders', 'Playground', 'People']) {
    await member.getByRole('navigation').getByRole('link', { name }).click();
    await expect(member.getByRole('heading', { level: 1, name })).toBeVisible();
    await expect(notice).toContainText('invoice 7 is unpaid');
    await expect(notice.locator('time')).toBeVisible();
  }
  await expectAccessible(member);
  await expectFitsPhone(member);
});

test('An operator suspends and reinstates an account, which applies to the next request', async ({ browser }) => {
  const page = await service.openPage(browser, operator);
  await open(page, `/${mill}`);
  await button(page, 'Suspend').click();
  await expect(page.getByLabel('Reason')).toBeFocused();
  await page.keyboard.type('invoice 118 is unpaid');
  await page.keyboard.press('Enter');
  await expect(page.getByText('invoice 118 is unpaid')).toBeVisible();
  expect((await withKey(page)).status).toBe(403);
  await expectAccessible(page);
  await open(page, '?state=suspended');
  await expect(row(page, 'Papyrus Press')).toContainText('Suspended');
  await expect(row(page, 'Printing Works')).toHaveCount(0);
  await page.getByRole('link', { name: 'Papyrus Press' }).click();
  await button(page, 'Reinstate').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reinstate' }).click();
  await expect(page.getByText('The account is active again')).toBeVisible();
  expect((await withKey(page)).status).toBe(200);
});

test('An operator changes plan and limits', async ({ browser }) => {
  const page = await service.openPage(browser, operator);
  await open(page, `/${mill}`);
  await button(page, 'Change plan and limits').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Plan' }).click();
  await page.getByRole('option', { name: 'Pro', exact: true }).click();
  await expect(page.getByText('The plan has 10,000.')).toBeVisible();
  await expect(page.getByLabel('Requests a minute')).toHaveValue('100000');
  await page.getByLabel('Requests a minute').fill('');
  await page.getByLabel('Renders a month').fill('77');
  await expectAccessible(page);
  await button(page, 'Save').click();
  await expect(page.getByRole('row', { name: /^Renders a month/ })).toContainText('own 77');
  expect((await withKey(page)).headers).toMatchObject({ 'x-ratelimit-limit': '60', 'x-quota-limit': '77' });
  await expectFitsPhone(page);
});

test('An operator shows an account without being its member', async ({ browser }) => {
  const page = await service.openPage(browser, operator);
  await open(page, `/${mill}`);
  await button(page, 'Show this account').click();
  await expect(page.getByRole('button', { name: /^Switch account: Papyrus Press/ })).toContainText('Operator');
  await page.goto(`${service.url}/dashboard/settings`);
  await expect(page.getByLabel('Account name')).toHaveValue('Papyrus Press');
});

test('Others see nothing of it, by page or by request', async ({ browser }) => {
  const page = await service.openPage(browser, { email: 'ada@example.com', accountId: mill, role: 'owner' });
  for (const path of ['', `/${mill}`]) {
    await open(page, path);
    await expect(page.getByRole('heading', { name: 'For operators only' })).toBeVisible();
    await expect(page.getByText('Printing Works')).toHaveCount(0);
  }
  await expect(page.getByRole('link', { name: 'All accounts' })).toHaveCount(0);
  await expectAccessible(page);
  expect(await service.send(page, 'GET', '/operator/accounts')).toBe(403);
  expect(await service.send(page, 'POST', `/operator/accounts/${mill}/suspend`, { reason: 'x' })).toBe(403);
});

test('An account that does not exist, and a list that cannot be loaded, are explained', async ({ browser }) => {
  const page = await service.openPage(browser, operator);
  await open(page, '/acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M');
  await expect(page.getByRole('alert')).toContainText('There is no account with this id.');
  await page.route('**/api/v1/operator/accounts*', (route) => route.fulfill(failure));
  await open(page);
  await expect(page.getByRole('alert')).toContainText('The service failed.');
});

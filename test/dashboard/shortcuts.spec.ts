import { expect, type Page } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { test } from './support/dashboard-service.ts';

let page: Page;
let templateId: string;

test.beforeAll(async ({ browser, dashboard }) => {
  const account = await dashboard.openAccount('Mill');
  templateId = (await account.templates.create('<p>Hello', { name: 'Greeting' })).id;
  page = await dashboard.openPage(browser, { accountId: account.id, role: 'owner' });
});
test.afterAll(() => page.context().close());
test.beforeEach(async ({ dashboard }) => {
  await page.goto(`${dashboard.url}/dashboard/settings`);
  await expect(heading('Settings')).toBeVisible();
});

const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const field = () => page.getByRole('combobox', { name: 'Search', exact: true });

test('The palette finds pages by name and anything by its id', async () => {
  await page.keyboard.press('Control+k');
  await expect(field()).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.type('nothing like this');
  await expect(page.getByText('Nothing found.')).toBeVisible();
  await field().fill('play');
  await expect(page.getByRole('option')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(heading('Playground')).toBeVisible();
  await expect(field()).toBeHidden();

  await page.keyboard.press('Control+k');
  await expect(field()).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('option', { name: 'Renders' })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect(page.getByRole('option').last()).toHaveAttribute('aria-selected', 'true');
  await field().fill(` ${templateId} `);
  await page.keyboard.press('Enter');
  await expect(heading('Greeting')).toBeVisible();

  await page.keyboard.press('Control+k');
  await expect(field()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(field()).toBeHidden();
});

test('The palette finds things by name, and begins what the role allows', async ({ browser, dashboard }) => {
  const find = async (on: Page, text: string): Promise<void> => {
    await on.keyboard.press('Control+k');
    await on.getByRole('combobox', { name: 'Search', exact: true }).fill(text);
  };
  await find(page, 'greet');
  await page.getByRole('option', { name: 'Greeting' }).click();
  await expect(heading('Greeting')).toBeVisible();
  for (const [text, role, name] of [
    ['create an api', 'dialog', 'Create a key'],
    ['new key', 'dialog', 'Create a key'],
    ['invite', 'dialog', 'Invite someone'],
  ] as const) {
    await find(page, text);
    await page.keyboard.press('Enter');
    await expect(page.getByRole(role, { name }).locator('input').first()).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole(role, { name })).toBeHidden();
    await expect(page).not.toHaveURL(/dialog=/);
  }
  await find(page, 'new template');
  await page.keyboard.press('Enter');
  await expect(heading('New template')).toBeVisible();
  await find(page, 'rotate');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Rotate' })).toBeVisible();
  await find(page, 'msg_01K6ZC5B8Q4XJ0N9T2V7RWHE3M');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/webhooks\/job_01K6ZC5B8Q4XJ0N9T2V7RWHE3M$/);

  const other = await dashboard.openAccount('Small press');
  const email = 'palette@example.com';
  const viewer = await dashboard.openPage(
    browser,
    { accountId: other.id, role: 'viewer', email },
    '/keys?dialog=create',
  );
  await dashboard.signIn(viewer.context(), { accountId: (await dashboard.openAccount('Big press')).id, email });
  await viewer.reload();
  await expect(viewer.getByRole('heading', { level: 1, name: 'API keys' })).toBeVisible();
  await expect(viewer).not.toHaveURL(/dialog=/);
  await expect(viewer.getByRole('dialog')).toBeHidden();
  await find(viewer, 'create an api');
  await expect(viewer.getByText('Nothing found.')).toBeVisible();
  await viewer.getByRole('combobox', { name: 'Search', exact: true }).fill('big press');
  await viewer.keyboard.press('Enter');
  await expect(viewer.getByRole('button', { name: /^Switch account/ })).toContainText('Big press');
  await find(viewer, 'sign out');
  await viewer.keyboard.press('Enter');
  await expect(viewer.getByRole('heading', { name: 'Sign in', exact: true })).toBeVisible();
  await viewer.context().close();
});

test('A slash leads to the search of the page, or else to the palette', async () => {
  await page.keyboard.press('/');
  await expect(field()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(field()).toBeHidden();
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await expect(heading('Templates')).toBeVisible();
  const search = page.getByRole('searchbox', { name: 'Search by name' });
  await expect(search).toBeVisible();
  await page.keyboard.press('/');
  await expect(search).toBeFocused();
  await page.keyboard.type('g?/k');
  await expect(search).toHaveValue('g?/k');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('The letter g and another one lead to each page, which the help lists', async () => {
  for (const [key, name] of [
    ['o', 'Overview'],
    ['r', 'Renders'],
    ['w', 'Webhooks'],
    ['u', 'Usage'],
    ['a', 'Audit'],
    ['t', 'Templates'],
    ['p', 'Playground'],
    ['k', 'API keys'],
    ['m', 'People'],
    ['s', 'Settings'],
  ] as const) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await expect(heading(name)).toBeVisible();
  }
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(help.getByText('API keys')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await expect(help).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(field()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(field()).toBeHidden();
  await page.keyboard.press('Escape');
  await expect(help).toBeHidden();
  await expect(heading('Settings')).toBeFocused();
});

test('Shortcuts of single keys can be switched off, and the browser remembers it', async () => {
  await page.keyboard.press('?');
  await page.getByText('Shortcuts of single keys').click();
  await page.keyboard.press('Escape');
  await page.reload();
  await expect(heading('Settings')).toBeVisible();
  const before = page.url();
  for (const key of ['g', 'r', '?']) await page.keyboard.press(key);
  await expect(page.getByRole('dialog')).toBeHidden();
  expect(page.url()).toBe(before);
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog')).toBeVisible();
});

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BrowserContext, expect, type Page } from '@playwright/test';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { readStoredText } from '../support/service/stored-text.ts';
import { expectAccessible } from './support/accessibility.ts';
import { test } from './support/dashboard-service.ts';
import { type Dashboard, openDashboardOn } from './support/open-dashboard.ts';

let dashboard: Dashboard;
let owner: BrowserContext;
let page: Page;

test.beforeAll(async ({ browser, dashboard: service }) => {
  dashboard = await openDashboardOn(service);
  owner = await dashboard.signIn(browser, 'owner');
});
test.afterAll(() => owner.close());
test.beforeEach(async () => {
  page = await owner.newPage();
});
test.afterEach(() => page.close());

const open = (path: string) => page.goto(`/dashboard${path}`);
const row = (name: string, on = page) => on.locator('.table-body').getByRole('row').filter({ hasText: name });
const send = (method: string, path: string, key: string) =>
  fetch(dashboard.service.url + path, { method, headers: { authorization: `Bearer ${key}` } });

/** Runs a command of the page in an empty folder and returns the file that it writes. */
const runCommand = async (command: string, file: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-command-'));
  try {
    await promisify(execFile)('sh', ['-c', command], { cwd: folder });
    return await readFile(join(folder, file), 'latin1');
  } finally {
    await rm(folder, { recursive: true });
  }
};

test('A key is created by keyboard, works as shown, and is shown only once', async () => {
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url(), request.headers()['referer'] ?? ''));
  await open('/keys');
  await page.getByRole('button', { name: 'Create a key' }).focus();
  await page.keyboard.press('Enter');
  const form = page.getByRole('dialog', { name: 'Create a key' });
  await expect(form.getByLabel('Name')).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(form.getByText('name must have at least 1 character.')).toBeVisible();
  await form.getByLabel('Name').focus();
  await page.keyboard.type('web shop');
  await form.getByRole('checkbox', { name: 'Delete templates' }).focus();
  await page.keyboard.press('Space');
  await form.getByLabel('Name').focus();
  await page.keyboard.press('Enter');

  const created = page.getByRole('alertdialog', { name: 'The key is ready' });
  await expect(created).toBeVisible();
  await expectAccessible(page);
  const secret = (await created.locator('pre').first().textContent())!;
  expect(secret).toMatch(/^svc_test_\w+$/);
  await created.getByRole('button', { name: 'Copy' }).first().click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  await expect(created.locator('pre').nth(1)).toContainText('curl -sS --fail-with-body ');
  expect(await runCommand((await created.locator('pre').nth(1).textContent())!, 'hello.pdf')).toMatch(/^%PDF/);
  await page.keyboard.press('Escape');
  await expect(created).toBeHidden();

  await expect(row('web shop')).toContainText(dashboard.emailOf('owner'));
  expect(await page.content()).not.toContain(secret);
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]));
  const events = await (await owner.request.get('/api/v1/events?limit=100')).text();
  expect(events).toContain('web shop');
  for (const text of [
    stored,
    ...urls,
    events,
    dashboard.service.output(),
    ...(await readStoredText(dashboard.installation)),
  ])
    expect(text.includes(secret)).toBe(false);

  await row('web shop').getByRole('link').first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'web shop' })).toBeVisible();
  await expect(page.getByText('templates:write', { exact: true })).toBeVisible();
  await expect(page.getByText('templates:delete', { exact: true })).toBeHidden();
});

test('A list has the usage of each key, and filters in its address', async () => {
  const body = JSON.stringify({ mode: 'CONVERT', input_type: 'markdown', data: '# x' });
  const { key, prefix } = await issueKey(dashboard.installation, dashboard.account, '--name', 'used');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const rendered = await fetch(`${dashboard.service.url}/api/v1/render`, { method: 'POST', headers, body });
  expect(rendered.status).toBe(200);
  const usedKey = async (): Promise<unknown> => {
    const { keys } = (await (await owner.request.get('/api/v1/keys')).json()) as { keys: { name: string }[] };
    return keys.find(({ name }) => name === 'used');
  };
  await expect.poll(usedKey).toMatchObject({ period: { requests: 1, succeeded: 1 } });
  await open('/keys');
  await expect.poll(() => row('used').innerText()).toMatch(/Active\s+Live[\s\S]*\s1\s+1\s+0\s/);
  await expect(row('used')).toContainText(`${prefix}…`);
  await expect(row('used')).toContainText('(command line)');
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Type: All' }).click();
  await page.getByRole('option', { name: 'Live' }).click();
  await expect(page).toHaveURL(/type=live/);
  await expect(row('first key')).toBeVisible();
  await page.getByRole('button', { name: 'State: All' }).click();
  await page.getByRole('option', { name: 'Expired' }).click();
  await expect(page.getByText('No key matches the filters')).toBeVisible();
  await page.reload();
  await expect(page.getByText('No key matches the filters')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(row('first key')).toBeVisible();
});

test('A key is revoked after a question, and refused at once', async () => {
  const { key, id } = await issueKey(dashboard.installation, dashboard.account, '--name', 'lost');
  expect((await send('GET', '/api/v1/account', key)).status).toBe(200);
  await open('/keys');
  await page.getByRole('button', { name: 'Actions for lost' }).click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  const question = page.getByRole('alertdialog', { name: 'Revoke the key “lost”?' });
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  expect((await send('GET', '/api/v1/account', key)).status).toBe(200);

  await open(`/keys/${id}`);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByLabel('Reason').fill('lost laptop');
  await page.keyboard.press('Enter');
  await expect(page.getByText('The key “lost” is revoked.').first()).toBeVisible();
  expect((await send('GET', '/api/v1/account', key)).status).toBe(401);
  await expect(page.getByRole('button', { name: 'Revoke' })).toBeHidden();
  await expect(page.getByText('Revoked', { exact: true }).first()).toBeVisible();
  await page.getByRole('link', { name: 'History of this key' }).click();
  await expect(page.getByRole('link', { name: 'Revoked the key: lost laptop' })).toBeVisible();
});

test('A developer creates keys; a viewer changes nothing', async ({ browser }) => {
  const developer = await dashboard.signIn(browser, 'developer');
  const writing = await developer.newPage();
  await writing.goto('/dashboard/keys');
  await writing.getByRole('button', { name: 'Create a key' }).click();
  const form = writing.getByRole('dialog');
  await expect(form.getByRole('checkbox', { name: 'Change the settings of the account' })).toBeDisabled();
  await form.getByLabel('Name').fill('of the developer');
  await form.getByRole('button', { name: 'Create a key' }).click();
  await writing.getByRole('button', { name: 'I have copied the key' }).click();
  await expect(row('of the developer', writing)).toBeVisible();
  await developer.close();

  const viewer = await dashboard.signIn(browser, 'viewer');
  const reading = await viewer.newPage();
  await reading.goto('/dashboard/keys');
  const create = reading.getByRole('button', { name: 'Create a key' });
  await expect(create).toHaveAttribute('aria-disabled', 'true');
  await create.click({ force: true });
  await expect(reading.getByRole('dialog')).toBeHidden();
  await reading.getByRole('button', { name: 'Actions for first key' }).click();
  await expect(reading.getByRole('menuitem', { name: 'Revoke' })).toBeDisabled();
  const headers = { origin: dashboard.service.url };
  const data = { name: 'x', type: 'test' };
  expect((await viewer.request.post('/api/v1/keys', { data, headers })).status()).toBe(403);
  expect((await viewer.request.delete(`/api/v1/keys/${dashboard.key.id}`, { headers })).status()).toBe(403);
  await viewer.close();
});

test('An account without keys learns how to send a document with one', async ({ browser }) => {
  const other = await dashboard.signIn(browser, 'owner', await openAccount(dashboard.installation));
  const empty = await other.newPage();
  await empty.goto('/dashboard/keys');
  await expect(empty.getByText('No API key yet')).toBeVisible();
  await expect(empty.locator('pre')).toContainText(/^curl -sS --fail-with-body .+\/api\/v1\/render/);
  await expect(empty.locator('pre')).toContainText('$COLOPHON_KEY');
  await other.close();
});

test('A key of another account is not found, and an error can be tried again', async () => {
  const other = await issueKey(dashboard.installation, await openAccount(dashboard.installation));
  for (const id of [other.id, 'key_01K6ZC5B8Q4XJ0N9T2V7RWHE3M']) {
    await open(`/keys/${id}`);
    await expect(page.getByText('There is no such key')).toBeVisible();
  }
  let isBroken = true;
  await page.route('**/api/v1/keys?*', (route) =>
    isBroken ? route.fulfill({ status: 500, json: { error: 'internal_error', message: 'Broken.' } }) : route.continue(),
  );
  await open('/keys');
  await expect(page.getByRole('alert')).toContainText('Broken.');
  isBroken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(row('first key')).toBeVisible();
});

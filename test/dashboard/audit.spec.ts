import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { type BrowserContext, expect, type Page } from '@playwright/test';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { expectAccessible } from './support/accessibility.ts';
import { test } from './support/dashboard-service.ts';
import { type Dashboard, openDashboardOn } from './support/open-dashboard.ts';

let dashboard: Dashboard;
let viewer: BrowserContext;
let page: Page;
let render: string;

const request = async (path: string, body?: object) => {
  const headers = { authorization: `Bearer ${dashboard.key.key}`, 'content-type': 'application/json' };
  const response = await fetch(dashboard.service.url + path, {
    method: body ? 'POST' : 'GET',
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Record<string, string>;
};
const renderOnce = async () =>
  (await request('/api/v1/render', { mode: 'CONVERT', input_type: 'markdown', data: '# Hello' }))['id']!;

test.beforeAll(async ({ browser, dashboard: service }) => {
  dashboard = await openDashboardOn(service);
  render = await renderOnce();
  await request('/api/v1/templates', { name: 'Letter', content: '<p>{{x}}</p>' });
  viewer = await dashboard.signIn(browser, 'viewer');
});
test.afterAll(() => viewer.close());
test.beforeEach(async () => {
  page = await viewer.newPage();
});
test.afterEach(() => page.close());

const open = (query = '') => page.goto(`/dashboard/audit${query}`);
const sentences = (): Promise<string[]> => page.locator('.row-link').allInnerTexts();
const ofRender = [/^Render completed: 1 page in \d+ ms$/, 'Render started', 'Render of markdown requested'];

const choose = async (filter: string, option: string): Promise<void> => {
  await page.getByRole('button', { name: filter }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};

test('Each event is a sentence with its actor, its thing and its time; a viewer sees them', async () => {
  await open();
  await expect(page.getByRole('link', { name: 'Created the template “Letter”' })).toBeVisible();
  const rendered = page.getByRole('row').filter({ hasText: 'Render of markdown requested' });
  await expect(rendered.getByRole('link', { name: 'first key' })).toHaveAttribute('href', /\/keys\/key_/);
  await expect(rendered.getByTitle(render).getByRole('link')).toHaveAttribute('href', new RegExp(`/renders/${render}`));
  await expect(page.getByRole('link', { name: 'Created the live key “first key”' })).toBeVisible();
  await expect(page.getByText('End of the list')).toBeVisible();
  const times = page.getByRole('cell').filter({ has: page.locator('time') });
  const widths = () => times.evaluateAll((cells) => cells.map((cell) => cell.scrollWidth - cell.clientWidth));
  await expect.poll(async () => [...new Set(await widths())], 'each time is whole').toEqual([0]);
  await expectAccessible(page);
});

test('Filters are in the address, and select by kind, type, actor, thing and time', async () => {
  await open();
  await choose('Kind: All', 'Renders');
  await expect(page.locator('.row-link')).toHaveText(ofRender);
  await expect(page).toHaveURL(/kind=render/);
  await choose('Newest first', 'Oldest first');
  await expect(page.locator('.row-link')).toHaveText(ofRender.toReversed());
  await page.reload();
  await expect(page.locator('.row-link')).toHaveText(ofRender.toReversed());
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await choose('Event: All', 'Template created');
  await expect(page.locator('.row-link')).toHaveText(['Created the template “Letter”']);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await choose('Actor: All', 'first key');
  await expect(page.locator('.row-link').last()).toHaveText('Render of markdown requested');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.keyboard.press('/');
  await page.keyboard.type(render);
  await expect(page.locator('.row-link')).toHaveText(ofRender);
  await expect(page).toHaveURL(new RegExp(`subject=${render}`));
  await open('?until=2020-01-01T00:00:00.000Z');
  await expect(page.getByText('No event matches the filters')).toBeVisible();
  await page.getByRole('button', { name: /^Time: / }).click();
  await page.getByRole('button', { name: 'Last hour' }).click();
  await expect(page.getByRole('link', { name: 'Render started' })).toBeVisible();
});

test('The filter by time shows the times of the address, and takes real times only', async () => {
  const from = page.getByLabel('From', { exact: true });
  await open('?since=2020-01-01T00:00:00.000Z');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('button', { name: 'Time: Any time' }).click();
  await expect(from).toHaveValue('');
  await from.fill('12026-01-01T00:00');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByText('The last year is 9999.')).toBeVisible();
  await expect(page).not.toHaveURL(/since/);
  await page.getByRole('button', { name: 'Last hour' }).click();
  await page.getByRole('button', { name: /^Time: / }).click();
  await expect(from).not.toHaveValue('');

  await open('?since=yesterday');
  await expect(page.getByRole('alert')).toContainText('since');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page.getByRole('link', { name: 'Render started' })).toBeVisible();
});

test('The list is shown after the page of renders, which loads the names of keys, too', async ({ browser }) => {
  const owner = await dashboard.signIn(browser, 'owner');
  const own = await owner.newPage();
  const keys = own.waitForResponse((response) => response.url().includes('/api/v1/keys'));
  await own.goto('/dashboard/renders?mode=CONVERT');
  await (await keys).finished();
  await own.getByRole('link', { name: 'Audit' }).click();
  await expect(own.getByText('Render of markdown requested').first()).toBeVisible();
  await owner.close();
});

test('The raw event is opened by keyboard, and its address can be shared', async () => {
  await open(`?subject=${render}`);
  await page.locator('.row-link').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Render of markdown requested' });
  await expect(dialog.locator('pre')).toContainText('"input_type": "markdown"');
  await expectAccessible(page);
  await page.reload();
  await expect(dialog.locator('pre')).toContainText('"RenderRequested"');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(new RegExp(`audit\\?subject=${render}$`));
});

test('A long name from right to left is cut at its end, and stays apart from the sentence', async ({ browser }) => {
  const account = await dashboard.openAccount();
  const name = 'قالب الفاتورة الشهرية للعملاء الكرام في المملكة '.repeat(4);
  await account.templates.create('<p>Hello', { name, variables: [] });
  const own = await dashboard.openPage(browser, { accountId: account.id, role: 'owner' }, '/audit');
  const cell = own.getByRole('cell').filter({ hasText: /^Created the template/ });
  const edges = await cell.evaluate((element) => {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const range = new Range();
    while (texts.nextNode() && !texts.currentNode.textContent!.includes('قالب'));
    range.setStart(texts.currentNode, texts.currentNode.textContent!.indexOf('قالب'));
    range.setEnd(texts.currentNode, range.startOffset + 1);
    return { firstLetter: range.getBoundingClientRect().right, cell: element.getBoundingClientRect().right };
  });
  expect(edges.firstLetter).toBeLessThanOrEqual(edges.cell);
  await own.context().close();
});

test('All events that match are downloaded as CSV or JSON lines', async () => {
  await open('?kind=render');
  await expect(page.locator('.row-link')).toHaveText(ofRender);
  const download = async (name: string): Promise<string> => {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name, exact: true }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^events-\d{4}-\d\d-\d\d\.(csv|jsonl)$/);
    return readFile(await file.path(), 'utf8');
  };
  const expected = ['RenderCompleted', 'RenderStarted', 'RenderRequested'];
  const records = parse<Record<string, string>>(await download('CSV'), { columns: true });
  expect(records.map(({ type }) => type)).toEqual(expected);
  const lines = (await download('JSON lines')).trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(expected);
});

test('New events are announced and shown on demand', async () => {
  await open('?kind=render&type=RenderStarted');
  await expect.poll(async () => (await sentences()).length).toBe(1);
  const announced = page.getByText('There are new events.');
  await expect
    .poll(async () => {
      if (!(await announced.isVisible())) await renderOnce();
      return announced.isVisible();
    })
    .toBe(true);
  await page.getByRole('button', { name: 'Show them' }).click();
  await expect.poll(async () => (await sentences()).length).toBeGreaterThan(1);
});

test('Events of another account are not found, and no event can be changed', async () => {
  const other = await issueKey(dashboard.installation, await openAccount(dashboard.installation));
  const foreign = await fetch(`${dashboard.service.url}/api/v1/events`, {
    headers: { authorization: `Bearer ${other.key}` },
  });
  const { events } = (await foreign.json()) as { events: { id: string; subject: string }[] };
  await open(`?event=${events[0]!.id}`);
  await expect(page.getByRole('alert')).toContainText('The account has no such event.');
  await open(`?subject=${events[0]!.subject}`);
  await expect(page.getByText('No event matches the filters')).toBeVisible();
  const headers = { origin: dashboard.service.url };
  for (const method of ['POST', 'PUT', 'DELETE'])
    expect((await viewer.request.fetch('/api/v1/events', { method, headers, data: {} })).status()).toBe(405);
});

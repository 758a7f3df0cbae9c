import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, type Locator, type Page } from '@playwright/test';
import { bareId } from '#contracts/names.ts';
import { appendDelivery, appendRender } from '../support/renders/append-histories.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { expectAccessible, expectFitsPhone } from './support/accessibility.ts';
import { type DashboardService, test } from './support/dashboard-service.ts';
import { failure } from './support/failure.ts';
import { expectLive } from './support/live.ts';
import { figure, latest } from './support/overview.ts';

type Account = Awaited<ReturnType<DashboardService['openAccount']>>;

/** The pixels of the chart of durations that have one of its two colours. */
const drawnPoints = (page: Page): Promise<number> =>
  page
    .getByRole('region', { name: 'Durations' })
    .locator('canvas')
    .evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      const isColoured = (at: number): boolean => Math.max(data[at]!, data[at + 1]!, data[at + 2]!) - data[at]! > 60;
      return Array.from({ length: data.length / 4 }, (_, index) => index * 4).filter(isColoured).length;
    });

/** Keeps the texts that are drawn on canvases, for `drawnTexts`. */
const keepDrawnTexts = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const texts: string[] = [];
    Object.assign(window, { drawnTexts: texts });
    const draw = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function fillText(text, ...place) {
      texts.push(text);
      draw.call(this, text, ...place);
    };
  });

const drawnTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => (window as unknown as { drawnTexts: string[] }).drawnTexts);

/** Whether the parts of a sentence are seen from left to right, however each of them is written. */
const readsInOrder = (sentence: Element): boolean => {
  const range = new Range();
  const starts = Array.from(sentence.childNodes, (node) => {
    range.selectNodeContents(node);
    return range.getBoundingClientRect().left;
  });
  return starts.every((start, index) => index === 0 || start > starts[index - 1]!);
};

/** Appends webhook deliveries like another process of the service. */
const deliver = (dashboard: DashboardService, account: Account, endpoint: string, status: number, lastError = 'no') => {
  const delivery = { accountId: bareId('acc', account.id)!, at: new Date().toISOString(), endpoint, status, lastError };
  return withInstallationEngines(dashboard.installation, ({ store }) => appendDelivery(store, delivery));
};

/** A template that no data fills, with a render that failed for this reason. */
const failTemplate = async ({ client, templates }: Account, name: string): Promise<string> => {
  const { id } = await templates.create('<p>{{customer}}</p>', { name });
  await client.postRender({ mode: 'RENDER', template_id: id, data: {} });
  return id;
};

test('A new account learns how to make the first PDF, and sees it without loading the page again', async ({
  browser,
  dashboard,
}) => {
  const account = await dashboard.openAccount();
  // By day, so that no hour ends between the renders.
  const page = await dashboard.openPage(browser, { accountId: account.id, role: 'owner' });
  await page.clock.install();
  await page.goto('/dashboard/?range=month');
  await expect(page.getByRole('heading', { name: 'Make the first PDF' })).toBeVisible();
  await expectAccessible(page);
  await expect(page.getByRole('link', { name: 'Open the playground' })).toBeVisible();
  const folder = await mkdtemp(join(tmpdir(), 'colophon-command-'));
  try {
    const command = (await page.locator('pre').textContent())!;
    const env = { ...process.env, COLOPHON_KEY: account.key };
    await promisify(execFile)('sh', ['-c', command], { cwd: folder, env });
    expect(await readFile(join(folder, 'hello.pdf'), 'latin1')).toMatch(/^%PDF/);
  } finally {
    await rm(folder, { recursive: true });
  }
  await expectLive(figure(page, 'Success rate'), '100 %');
  await expect(figure(page, 'Renders today (UTC)')).toHaveText('1');
  await expect.poll(() => drawnPoints(page), 'a duration without a neighbour is a point').toBeGreaterThan(0);
  await expect(latest(page).getByRole('button', { name: /^Copy render_/ })).toBeVisible();
  const chart = page.getByRole('region', { name: 'Renders', exact: true });
  const pointedAt = chart.locator('.u-value').nth(1);
  await expect(pointedAt).toBeHidden();
  const { width, height } = (await chart.locator('.u-over').boundingBox())!;
  // The last bar is the one of today.
  await chart.locator('.u-over').hover({ position: { x: width - 3, y: height / 2 } });
  await expect(pointedAt).toHaveText('1');
  await expect(pointedAt).toBeVisible();
  await account.client.render('html', '<p>second');
  await expectLive(figure(page, 'Renders today (UTC)'), '2');
  await expect(pointedAt).toHaveText('2');
  await expect(pointedAt).toBeVisible();
  await page.getByRole('link', { name: 'All renders' }).click();
  await expect(page).toHaveURL(/\/dashboard\/renders$/);
  await page.context().close();
});

test('Failures and what needs attention lead to the pages that show more', async ({ browser, dashboard }) => {
  const account = await dashboard.openAccount();
  const templateId = await failTemplate(account, 'Offer');
  await deliver(dashboard, account, 'down.example/hooks/pdf', 503);
  await deliver(dashboard, account, 'ok.example/hook', 200);
  const page = await dashboard.openPage(browser, { accountId: account.id, role: 'owner' });
  await page.clock.install();
  await page.goto('/dashboard');
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await expect(attention).toContainText('Callbacks to down.example/hooks/pdf fail');
  await expect(attention).toContainText('1 failed attempt in a row');
  await expect(attention).toContainText('Template Offer: 100 % of its renders fail');
  const webhooks = page.getByRole('region', { name: 'Webhooks' });
  await expect(webhooks.locator('.webhook-state').filter({ hasText: 'Failed' })).toContainText('1');
  await expect(webhooks).toContainText('2 attempts, 1 without success');
  await expectAccessible(page);
  await expectFitsPhone(page);

  await page.getByRole('region', { name: 'Failures by error' }).getByRole('link').click();
  await expect(page).toHaveURL(/\/renders\?error=template_render_error&since=/);
  await page.goBack();
  await attention.getByRole('link', { name: 'Failed renders' }).click();
  await expect(page).toHaveURL(new RegExp(`/renders\\?template_id=${templateId}&status=FAILED`));
  await page.goBack();
  await attention.getByRole('link', { name: 'Failed callbacks' }).click();
  await expect(page).toHaveURL(/\/webhooks\?status=failed&receiver=down\.example/);
  await page.goBack();

  await deliver(dashboard, account, 'down.example/hooks/pdf', 200);
  await expectLive(attention, /^(?!.*down\.example)/);
  await page.context().close();
});

test('Failures of an error lead to all renders that they count, from the beginning of the range', async ({
  browser,
  dashboard,
}) => {
  const account = await dashboard.openAccount();
  const dayMs = 24 * 3_600_000;
  const firstDay = (Math.floor(Date.now() / dayMs) - 29) * dayMs;
  await withInstallationEngines(dashboard.installation, ({ store }) =>
    appendRender(store, {
      accountId: bareId('acc', account.id)!,
      at: new Date(firstDay).toISOString(),
      failure: { name: 'template_render_error', message: 'no' },
    }),
  );
  const page = await dashboard.openPage(browser, { accountId: account.id, role: 'owner' }, '/?range=month');
  await page.getByRole('link', { name: 'template_render_error' }).click();
  await expect(page.getByText('1 row')).toBeVisible();
  await page.context().close();
});

test('A chart that loads late does not move what is below it', async ({ browser, dashboard }) => {
  const account = await dashboard.openAccount();
  await withInstallationEngines(dashboard.installation, ({ store }) =>
    appendRender(store, { accountId: bareId('acc', account.id)!, at: new Date().toISOString() }),
  );
  const page = await dashboard.openPage(browser, { accountId: account.id, role: 'owner' }, '/keys');
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/UplotChart*.js', async (route) => {
    await released;
    await route.continue();
  });
  await page.getByRole('link', { name: 'Overview' }).click();
  const below = page.getByRole('heading', { name: 'Latest renders' });
  await expect(page.getByRole('region', { name: 'Durations' })).toBeVisible();
  await expect(below).toBeVisible();
  await expect(page.locator('.skeleton')).toHaveCount(0);
  const before = await below.boundingBox();
  release();
  await expect(page.locator('canvas')).toHaveCount(2);
  expect(await below.boundingBox()).toEqual(before);
  await page.context().close();
});

test('Numbers have one format, and times are in the language of the reader without breaking sentences', async ({
  browser,
  dashboard,
}) => {
  const account = await dashboard.openAccount();
  const name = 'قالب الفاتورة';
  await failTemplate(account, name);
  await deliver(dashboard, account, 'down.example/hook', 503, '192.0.2.1 refused the connection');
  const context = await browser.newContext({ baseURL: dashboard.url, locale: 'ar-EG' });
  await dashboard.signIn(context, { accountId: account.id, role: 'owner' });
  const page = await context.newPage();
  await keepDrawnTexts(page);
  const { body: usage } = await account.client.request('GET', '/api/v1/usage');
  const usedQuota = { ...(usage['quota'] as object), used: 12_345, limit: 100_000 };
  await page.route('**/api/v1/usage', (route) => route.fulfill({ json: { ...usage, quota: usedQuota } }));
  await page.goto('/dashboard');
  const quota = page.locator('.stat').filter({ hasText: 'Quota this month' });
  await expect(quota).toContainText(/12,345\s*of 100,000 renders/);
  await expect(quota.getByRole('meter')).toHaveAttribute('aria-valuetext', '12,345 / 100,000');

  const attention = page.getByRole('region', { name: 'Needs attention' });
  const rate = attention.getByText(/^Template .*: 100 % of its renders fail$/);
  const age = attention.getByText(/^1 failed attempt in a row \(first: [^).]+\)\. /);
  for (const sentence of [rate, age]) expect(await sentence.evaluate(readsInOrder)).toBe(true);
  await expect(age.locator('time')).toHaveCSS('unicode-bidi', 'isolate');
  await expect.poll(() => drawnTexts(page), 'times of the axes').toContainEqual(expect.stringMatching(/[٠-٩]/));
});

test('Many items that need attention are shown on demand', async ({ browser, dashboard }) => {
  const account = await dashboard.openAccount();
  for (const name of ['A', 'B', 'C', 'D']) await failTemplate(account, name);
  const page = await dashboard.openPage(browser, { accountId: account.id, role: 'developer' }, '/');
  const items = page.getByRole('region', { name: 'Needs attention' }).locator('.notice');
  await expect(items).toHaveCount(3);
  await page.getByRole('button', { name: 'Show all 4' }).focus();
  await page.keyboard.press('Enter');
  await expect(items).toHaveCount(4);
  await page.getByRole('button', { name: 'Show fewer' }).click();
  await expect(items).toHaveCount(3);
  await page.context().close();
});

test('The range is chosen by keyboard and kept in the address; a viewer sees the same', async ({
  browser,
  dashboard,
}) => {
  const account = await dashboard.openAccount();
  await account.client.render('html', '<p>first');
  const page = await dashboard.openPage(browser, { accountId: account.id, role: 'viewer' }, '/');
  await expect(figure(page, 'Quota this month')).toBeVisible();
  await page.getByRole('button', { name: /Last 24 hours/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'Last 30 days' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\?range=month$/);
  await expect(page.getByText('1 render, last 30 days')).toBeVisible();
  await expect(page.getByRole('figure', { name: /durations, last 30 days/ })).toBeVisible();
  await page.reload();
  await expect(page.getByText('1 render, last 30 days')).toBeVisible();
  await page.context().close();
});

test('A failure to load the figures is shown at each of them, and can be tried again', async ({
  browser,
  dashboard,
}) => {
  const account = await dashboard.openAccount();
  await account.client.render('html', '<p>first');
  const page = await dashboard.openPage(browser, { accountId: account.id, role: 'owner' });
  // The page would load the figures again at the first message of the stream.
  await page.route('**/api/v1/events/live', (route) => route.fulfill({ status: 403, json: {} }));
  const broken = /\/api\/v1\/(?:statistics|usage|renders)\b/;
  await page.route(broken, (route) => route.fulfill(failure));
  await page.goto('/dashboard');
  const retry = (part: Locator): Promise<void> => part.getByRole('button', { name: 'Try again' }).click();
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('This did not work');
  await expect(page.locator('.stat-value')).toHaveText(['–', '–', '–', '–']);
  await expect(page.locator('.stat-text')).toHaveText(Array.from({ length: 4 }, () => failure.json.message));
  await expectAccessible(page);
  await page.unroute(broken);
  await retry(alert);
  await expect(figure(page, 'Success rate')).toHaveText('100 %');
  await retry(latest(page));
  await expect(latest(page).getByRole('button', { name: /^Copy render_/ })).toBeVisible();
  await expect(alert).toBeHidden();
  for (const label of ['Quota this month', 'Renders today (UTC)']) {
    await retry(page.locator('.stat').filter({ hasText: label }));
    await expect(figure(page, label)).toHaveText('1');
  }
  await page.context().close();
});

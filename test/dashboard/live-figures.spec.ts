import { expect, type Page } from '@playwright/test';
import { type DashboardService, test } from './support/dashboard-service.ts';
import { expectLive } from './support/live.ts';
import { figure, latest } from './support/overview.ts';

type Account = Awaited<ReturnType<DashboardService['openAccount']>>;

/** Says to the page that its tab is hidden or visible; in this browser tabs are always visible. */
const setHidden = (page: Page, isHidden: boolean): Promise<void> =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
    Object.defineProperty(document, 'visibilityState', { value: hidden ? 'hidden' : 'visible', configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, isHidden);

const markPath = '/health/live';
/** Sends a request of the page: those that it began before are known to the test then. */
const passRequest = (page: Page): Promise<unknown> => page.evaluate(async (path) => void (await fetch(path)), markPath);

/** An object of the page with a promise for the next event of this type, which comes after the page has it. */
const waitForEvent = (page: Page, account: Account, eventType: string) =>
  page.evaluateHandle(
    ([name, type]) => {
      const channel = new BroadcastChannel(name!);
      const seen = new Promise<void>((resolve) => {
        channel.addEventListener('message', ({ data }) => data.data?.type === type && resolve());
      });
      return { seen };
    },
    [`colophon-live-${account.id}`, eventType],
  );

test('Renders appear at once in all tabs, which share one live stream', async ({ browser, dashboard }) => {
  const account = await dashboard.openAccount();
  await account.client.render('html', '<p>first');
  const first = await dashboard.openPage(browser, { accountId: account.id, role: 'owner' });
  const streams: string[] = [];
  first.context().on('request', (request) => request.url().endsWith('/events/live') && streams.push(request.url()));
  await first.clock.install();
  await first.goto('/dashboard');
  await expect.poll(() => streams.length).toBe(1);
  const second = await first.context().newPage();
  await second.goto('/dashboard');
  for (const page of [first, second]) await expect(figure(page, 'Renders today (UTC)')).toHaveText('1');

  const { id } = await account.client.render('html', '<p>second');
  for (const page of [first, second]) {
    await expectLive(figure(page, 'Renders today (UTC)'), '2');
    await expect(latest(page).getByTitle(id)).toHaveText(`…${id.slice(-6)}`);
  }
  expect(streams).toHaveLength(1);

  await first.close();
  await account.client.render('markdown', '# third');
  await expectLive(figure(second, 'Renders today (UTC)'), '3');
  await expect.poll(() => streams.length).toBe(2);
  await second.context().close();
});

test('A hidden tab loads no figures, and those that changed once when it is seen again', async ({
  browser,
  dashboard,
}) => {
  const account = await dashboard.openAccount();
  await account.client.render('html', '<p>first');
  const page = await dashboard.openPage(browser, { accountId: account.id, role: 'owner' });
  await page.clock.install();
  await page.goto('/dashboard');
  await expectLive(figure(page, 'Success rate'), '100 %');
  await setHidden(page, true);
  await passRequest(page);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));

  const event = await waitForEvent(page, account, 'RenderCompleted');
  await account.client.render('html', '<p>second');
  await event.evaluate(({ seen }) => seen);
  await page.clock.fastForward(10_000);
  await passRequest(page);
  expect(requests).toEqual([markPath]);

  await setHidden(page, false);
  await expect(figure(page, 'Renders today (UTC)')).toHaveText('2');
  expect(requests.filter((path) => path === '/api/v1/usage')).toHaveLength(1);
  await page.context().close();
});

test('The figures of a busy account are not loaded again with each render', async ({ browser, dashboard }) => {
  const account = await dashboard.openAccount();
  await account.client.render('html', '<p>first');
  const page = await dashboard.openPage(browser, { accountId: account.id, role: 'owner' });
  await page.clock.install();
  await page.goto('/dashboard');
  await expectLive(figure(page, 'Success rate'), '100 %');
  await page.clock.pauseAt(Date.now() + 120_000);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  const renderAndPass = async (ms: number): Promise<string[]> => {
    const event = await waitForEvent(page, account, 'RenderCompleted');
    await account.client.render('html', '<p>next');
    await event.evaluate(({ seen }) => seen);
    await page.clock.runFor(ms);
    await passRequest(page);
    return requests.splice(0);
  };

  // Nothing is due any more.
  await renderAndPass(10_000);
  expect(await renderAndPass(500)).toContain('/api/v1/statistics');
  expect(await renderAndPass(2_500)).toEqual([markPath]);
  await expectLive(figure(page, 'Renders today (UTC)'), '4');
  await page.context().close();
});

test('The figures are loaded each minute also without events, because days and ranges end', async ({
  browser,
  dashboard,
}) => {
  const account = await dashboard.openAccount();
  await account.client.render('html', '<p>first');
  const page = await dashboard.openPage(browser, { accountId: account.id, role: 'owner' });
  await page.route('**/api/v1/events/live', (route) => route.fulfill({ status: 403, json: {} }));
  await page.clock.install();
  await page.goto('/dashboard');
  for (const name of ['Renders today (UTC)', 'Quota this month']) await expect(figure(page, name)).toHaveText('1');
  await account.client.render('html', '<p>second');
  await page.clock.fastForward(60_000);
  for (const name of ['Renders today (UTC)', 'Quota this month']) await expect(figure(page, name)).toHaveText('2');
  await expect(page.getByText('2 renders, last 24 hours')).toBeVisible();
  await page.context().close();
});

import { expect, type Page } from '@playwright/test';
import { placeholders, waitForFrames } from './support/accessibility.ts';
import { test } from './support/dashboard-service.ts';

const paths = [
  '/',
  '/renders',
  '/webhooks',
  '/templates',
  '/playground',
  '/keys',
  '/usage',
  '/audit',
  '/people',
  '/settings',
  '/account',
];

/** Half of the cumulative layout shift that web.dev calls good. */
const maxShift = 0.05;

type Shift = { value: number; moved: string[] };

/** Records the layout shifts of the page. `takeShifts` returns those since its last call. */
const observeShifts = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    type Entry = PerformanceEntry & { value: number; sources: { node: Node | null }[] };
    const shifts: Shift[] = [];
    const keep = (entries: PerformanceEntryList): void => {
      for (const { value, sources } of entries as Entry[])
        shifts.push({ value, moved: sources.map(({ node }) => node?.textContent?.slice(0, 60) ?? '') });
    };
    const observer = new PerformanceObserver((list) => keep(list.getEntries()));
    observer.observe({ type: 'layout-shift', buffered: true });
    const takeShifts = (): Shift[] => {
      keep(observer.takeRecords());
      return shifts.splice(0);
    };
    Object.assign(window, { takeShifts });
  });

const takeShifts = (page: Page): Promise<Shift[]> =>
  page.evaluate(() => (window as unknown as { takeShifts: () => Shift[] }).takeShifts());

/** Holds the requests of the page to the API. `answerAll` answers them one by one, the last first, until nothing is loading. */
const holdRequests = async (page: Page) => {
  const held: (() => Promise<void>)[] = [];
  await page.route('**/api/v1/**', (route) => {
    // `route.fetch` waits for the end of a response, and the stream has none.
    if (route.request().url().endsWith('/live')) return route.continue();
    held.push(async () => {
      const response = await route.fetch();
      // The page may have cancelled the request.
      await route.fulfill({ response }).catch(() => undefined);
    });
    return undefined;
  });
  const isLoading = async (): Promise<boolean> => (await page.locator(placeholders).count()) > 0;
  const answerAll = async (): Promise<void> => {
    for (;;) {
      await expect.poll(async () => held.length > 0 || !(await isLoading())).toBe(true);
      const answer = held.pop();
      if (!answer) return;
      await answer();
      await waitForFrames(page);
    }
  };
  return { answerAll };
};

for (const size of [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
])
  test(`Nothing on a page moves when its data arrive late, in a window of ${size.width} px`, async ({
    browser,
    dashboard,
  }) => {
    const { id: accountId, client, templates } = await dashboard.openAccount();
    const { id } = await templates.create('<p>{{customer}}</p>', { name: 'Offer' });
    await client.postRender({ mode: 'RENDER', template_id: id, data: {} });
    const page = await dashboard.openPage(browser, { accountId, role: 'owner' });
    await page.setViewportSize(size);
    // Hidden parts stay hidden, however long the answers take.
    const session = await page.context().newCDPSession(page);
    await session.send('Animation.enable');
    await session.send('Animation.setPlaybackRate', { playbackRate: 0 });
    await observeShifts(page);
    const { answerAll } = await holdRequests(page);
    await page.goto('/dashboard/nowhere');
    await answerAll();
    for (const path of paths) {
      const heading = await page.locator('h1').evaluateHandle((element) => element);
      await page.evaluate((address) => window.history.pushState(null, '', address), `/dashboard${path}`);
      await expect.poll(() => heading.evaluate(({ isConnected }) => isConnected)).toBe(false);
      await answerAll();
      const shifts = await takeShifts(page);
      const sum = shifts.reduce((total, { value }) => total + value, 0);
      expect.soft(sum, `${path}: ${JSON.stringify(shifts)}`).toBeLessThanOrEqual(maxShift);
    }
  });

for (const [name, path, endpoint, shown] of [
  ['the overview', '/', '**/api/v1/usage', 'Success rate'],
  ['the settings', '/settings', '**/api/v1/account', 'Save'],
] as const)
  test(`A request that is never answered leaves the rest of ${name} usable`, async ({ browser, dashboard }) => {
    const { id: accountId, client } = await dashboard.openAccount();
    await client.render('html', '<p>first');
    const page = await dashboard.openPage(browser, { accountId, role: 'owner' });
    await page.route(endpoint, () => undefined);
    await page.goto(`/dashboard${path}`);
    await expect(page.locator('.skeleton')).not.toHaveCount(0);
    await expect(page.getByText(shown, { exact: true }).first()).toBeVisible();
  });

import { type Browser, chromium, type Page } from '@playwright/test';
import { findBrowser } from '#libs/config/find-browser.mjs';
import { bareId } from '#contracts/names.ts';
import { readExamples } from '#libs/templating/examples.ts';
import { ensureDashboard } from '../../scripts/setup/dashboard.mjs';
import { type DashboardService, startDashboardOf } from '../dashboard/support/dashboard-service.ts';
import { showManyRenders } from '../dashboard/support/many-renders.ts';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { openTestInstallation } from '../support/service/installation.ts';
import { median, printHeading, printTarget, quantile } from './report.ts';
import { seedRenders } from './seed-renders.ts';

type Person = Parameters<DashboardService['openPage']>[1];
type Measured = { interactive?: number; keyAt?: number; longTasks: number[] };
type MeasuredWindow = Window & { measured: Measured };

/** Long enough that a person waits for it, in milliseconds. */
const longTaskMs = 50;
const frameMs = 1_000 / 60;

/** Measures from the start of the page: when `selector` is shown and the page can react, and the long tasks. */
const watch = (page: Page, selector: string): Promise<unknown> =>
  page.addInitScript((shown) => {
    const measured: Measured = { longTasks: [] };
    (window as unknown as MeasuredWindow).measured = measured;
    new PerformanceObserver((list) =>
      measured.longTasks.push(...list.getEntries().map(({ duration }) => duration)),
    ).observe({ type: 'longtask', buffered: true });
    const look = (): void => {
      if (document.querySelector(shown) === null) return void requestAnimationFrame(look);
      // After the frame with it, as soon as the page has nothing else to do.
      requestAnimationFrame(() => setTimeout(() => (measured.interactive = performance.now())));
    };
    look();
  }, selector);

const interactiveTime = async (page: Page, path: string): Promise<number> => {
  await page.goto(`/dashboard${path}`, { waitUntil: 'commit' });
  const handle = await page.waitForFunction(() => (window as unknown as MeasuredWindow).measured.interactive);
  return (await handle.jsonValue())!;
};

const interactive = async (browser: Browser, dashboard: DashboardService, person: Person): Promise<void> => {
  printHeading('Pages until they show their content and react, median of 9 loads');
  for (const [name, path, selector] of [
    ['overview', '/', '.stat-value'],
    ['renders', '/renders', '.table-body [role=row]'],
    ['templates', '/templates', '.template-card'],
    ['keys', '/keys', '.table-body [role=row]'],
  ] as const) {
    const [first, again]: [number[], number[]] = [[], []];
    let files = new Set<string>();
    let bytes = 0;
    for (let run = 0; run < 9; run += 1) {
      const page = await dashboard.openPage(browser, person);
      await watch(page, selector);
      files = new Set();
      bytes = 0;
      page.on('response', (response) => {
        if (response.url().includes('/events/live')) return;
        files.add(response.url());
        void response
          .request()
          .sizes()
          .then(
            ({ responseBodySize }) => (bytes += responseBodySize),
            () => undefined,
          );
      });
      first.push(await interactiveTime(page, path));
      await page.waitForLoadState('load');
      again.push(await interactiveTime(page, path));
      await page.context().close();
    }
    console.log(
      `  ${name}: ${files.size} requests, ${Math.round(bytes / 1000)} KB; again ${median(again).toFixed(0)} ms`,
    );
    printTarget(`${name} is interactive, first load`, median(first), 'at most', 1_000, ' ms');
  }
};

type Scrolled = { frames: number[]; longTasks: number[]; maxElements: number; lastRow: number; rows: string };

/** Scrolls `pixels` in each of `frames` frames. */
const scroll = (page: Page, pixels: number, frames: number): Promise<Scrolled> =>
  page.evaluate(
    async ({ step, count }) => {
      const { measured } = window as unknown as MeasuredWindow;
      measured.longTasks.length = 0;
      const times: number[] = [];
      let maxElements = 0;
      let lastRow = 0;
      for (let before = performance.now(); times.length < count;) {
        window.scrollBy(0, step);
        const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
        times.push(now - before);
        before = now;
        maxElements = Math.max(maxElements, document.querySelectorAll('*').length);
        const row = document.querySelector('.table-body [role=row]:last-child')?.getAttribute('aria-rowindex');
        lastRow = Math.max(lastRow, Number(row ?? 0));
      }
      const rows = document.querySelector('.table-end')?.textContent ?? '';
      return { frames: times, longTasks: [...measured.longTasks], maxElements, lastRow, rows };
    },
    { step: pixels, count: frames },
  );

const printScroll = (name: string, { frames, longTasks, maxElements, lastRow }: Scrolled): void => {
  const late = frames.filter((time) => time > 2 * frameMs).length;
  console.log(
    `  ${name}: to row ${lastRow}, ${frames.length} frames, median ${median(frames).toFixed(1)} ms, ` +
      `p99 ${quantile(frames, 0.99).toFixed(1)} ms, ${late} late, ${longTasks.length} tasks over ${longTaskMs} ms ` +
      `(longest ${Math.max(0, ...longTasks).toFixed(0)} ms), at most ${maxElements} elements`,
  );
  printTarget(`${name}, frames in time`, 1 - late / frames.length, 'at least', 0.95);
};

const scrolling = async (browser: Browser, dashboard: DashboardService, person: Person): Promise<void> => {
  printHeading('Scrolling through 100,000 renders');
  const rows = '.table-body [role=row]';
  const page = await dashboard.openPage(browser, person);
  await watch(page, rows);
  await interactiveTime(page, '/renders');
  printScroll('renders that are loaded page by page', await scroll(page, 150, 300));
  await page.context().close();
  const full = await dashboard.openPage(browser, person);
  await watch(full, rows);
  await showManyRenders(full, 100_000);
  await interactiveTime(full, '/renders');
  printScroll('100,000 loaded renders', await scroll(full, 150, 300));
  await full.evaluate(() => window.scrollTo(0, 0));
  printScroll('100,000 loaded renders, all in 300 frames', await scroll(full, 44 * 334, 300));
  await full.context().close();
};

const lists = async ({ url }: DashboardService, key: string): Promise<void> => {
  printHeading('GET /renders of 100,000 over HTTP');
  const hour = encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString());
  const slowest: number[] = [];
  for (const query of [
    '',
    'status=FAILED',
    'status=QUEUED',
    'error=conversion_failed',
    'input_type=html',
    'input_type=xml',
    'mode=RENDER',
    'asynchronous=true',
    `since=${hour}`,
    'status=FAILED&input_type=html',
    'status=FAILED&mode=RENDER',
    'mode=CONVERT&input_type=csv',
    'error=conversion_failed&asynchronous=false',
  ]) {
    const times: number[] = [];
    for (let run = 0; run < 30; run += 1) {
      const start = performance.now();
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`${url}/api/v1/renders?limit=100&${query}`, { headers });
      const { renders } = (await response.json()) as { renders: unknown[] };
      times.push(performance.now() - start);
      if (run === 0) console.log(`  ${query === '' ? 'no filter' : query}: ${renders.length} renders`);
    }
    console.log(`    median ${median(times).toFixed(1)} ms, slowest ${Math.max(...times).toFixed(1)} ms`);
    slowest.push(median(times));
  }
  printTarget('a page of 100 renders, the slowest filter', Math.max(...slowest), 'at most', 100, ' ms');
};

const preview = async (browser: Browser, dashboard: DashboardService, person: Person, key: string): Promise<void> => {
  printHeading('From the last key to the preview of the shipped invoice, median of 20');
  const { template, sample } = (await readExamples()).find(({ template: { name } }) => /invoice/i.test(name))!;
  const response = await fetch(`${dashboard.url}/api/v1/templates`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...template, sample_data: sample }),
  });
  const { id } = (await response.json()) as { id: string };
  const page = await dashboard.openPage(browser, person);
  await page.addInitScript(() => {
    const measured: Measured = { longTasks: [] };
    (window as unknown as MeasuredWindow).measured = measured;
    document.addEventListener('keydown', ({ timeStamp }) => (measured.keyAt = timeStamp), { capture: true });
  });
  await page.goto(`/dashboard/templates/${id}`);
  await page.locator('.live-preview[data-state=current] [data-drawn-page]').waitFor();
  await page.getByRole('textbox', { name: 'HTML of the template' }).click();
  await page.keyboard.press('Control+End');
  const times: number[] = [];
  for (let run = 0; run < 20; run += 1) {
    const drawn = Number(await page.locator('.live-preview').getAttribute('data-drawn'));
    await page.keyboard.press('x');
    const time = await page.waitForFunction((before) => {
      const now = Number(document.querySelector('.live-preview')?.getAttribute('data-drawn'));
      const last = performance.getEntriesByName('template preview').at(-1);
      const { keyAt = 0 } = (window as unknown as MeasuredWindow).measured;
      return now > before && last ? last.startTime + last.duration - keyAt : false;
    }, drawn);
    times.push(Number(await time.jsonValue()));
  }
  console.log(`  slowest ${Math.max(...times).toFixed(0)} ms`);
  printTarget('from the last key to the preview', median(times), 'at most', 500, ' ms');
  await page.context().close();
};

/** What the dashboard promises: an account with many renders, and a browser of this machine. */
export const dashboardPages = async (renders: number): Promise<void> => {
  ensureDashboard();
  const installation = await openTestInstallation({ LOG_LEVEL: 'warn' });
  const accountId = await openAccount(installation, '--name', 'bench', '--requests-per-minute', '100000');
  const { id: keyId, key } = await issueKey(installation, accountId);
  await seedRenders(installation, bareId('acc', accountId)!, bareId('key', keyId)!, renders, 50);
  const dashboard = await startDashboardOf(installation);
  const executablePath = findBrowser(process.env);
  const browser = await chromium.launch(executablePath === undefined ? {} : { executablePath });
  const person = { accountId, role: 'owner', email: 'ada@example.com' } as const;
  try {
    await preview(browser, dashboard, person, key);
    await interactive(browser, dashboard, person);
    await scrolling(browser, dashboard, person);
    await lists(dashboard, key);
  } finally {
    await browser.close();
    await dashboard.close();
  }
};

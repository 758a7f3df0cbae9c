import { type BrowserContext, expect, type Page } from '@playwright/test';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { showManyRenders } from './support/many-renders.ts';
import { expectAccessible, expectNamesFitTablet, waitForFrames } from './support/accessibility.ts';
import { test } from './support/dashboard-service.ts';
import { type Dashboard, openDashboardOn } from './support/open-dashboard.ts';

type Body = Record<string, unknown>;

const convert = { mode: 'CONVERT', input_type: 'markdown', data: '# Minutes' };
const unclosed = { ...convert, data: '```\nnever closed' };
const countOfMany = 130;

let dashboard: Dashboard;
let owner: BrowserContext;
let page: Page;
let render: string;
let failed: string;
let job: string;
let template: string;

const send = async (path: string, body: unknown, key = dashboard.key.key): Promise<Body> => {
  const response = await fetch(dashboard.service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Body;
};
const open = (path: string, on = page) => on.goto(`/dashboard${path}`);
const rows = (on = page) => on.locator('.table-body').getByRole('row');
/** The texts that do not fit into their elements. */
const cutOff = (elements: Element[]): (string | null)[] =>
  elements.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent);
/** Whether a text is cut off, and whether its first letter is seen. */
const showsFirstLetter = (element: Element): [boolean, boolean] => {
  const letter = new Range();
  letter.setStart(element.firstChild!, 0);
  letter.setEnd(element.firstChild!, 1);
  const [seen, { left, right }] = [element.getBoundingClientRect(), letter.getBoundingClientRect()];
  return [element.scrollWidth > element.clientWidth, left >= seen.left - 1 && right <= seen.right + 1];
};
const choose = async (filter: string, option: string): Promise<void> => {
  await page.getByRole('button', { name: `${filter}: All` }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};

test.beforeAll(async ({ browser, dashboard: service }) => {
  dashboard = await openDashboardOn(service);
  template = String((await send('/api/v1/templates', { name: 'Offer', content: '<p>{{x}}' })).id);
  render = String((await send('/api/v1/render', { ...convert, file_name: 'minutes' })).id);
  failed = String((await send('/api/v1/render', unclosed)).render_id);
  await send('/api/v1/render', { mode: 'RENDER', template_id: template, data: { x: 1 } });
  job = String((await send('/api/v1/render/async', { ...convert, input_type: 'csv', data: 'a,b\n1,2' })).job_id);
  owner = await dashboard.signIn(browser, 'owner');
});
test.afterAll(() => owner.close());
test.beforeEach(async () => {
  page = await owner.newPage();
});
test.afterEach(() => page.close());

test('The list has all renders with who requested them, and filters in its address', async () => {
  await open('/renders');
  await expect(rows()).toHaveCount(4);
  await expect(rows().nth(1)).toContainText('Offer, version 1');
  await expect(rows().nth(2)).toContainText(/Failed.*invalid_markdown/);
  const errors = rows().locator('.render-error');
  await expect(errors).toHaveText(['invalid_markdown']);
  await expect.poll(() => errors.evaluateAll(cutOff)).toEqual([]);
  await expect(rows().nth(3)).toContainText(/Markdown\s*minutes\.pdf[\s\S]*Done[\s\S]*first key/);
  await expectAccessible(page);

  await choose('Status', 'Failed');
  await expect(page).toHaveURL(/status=FAILED/);
  await expect(rows()).toHaveCount(1);
  await choose('Error', 'invalid_html');
  await expect(page.getByText('No render matches')).toBeVisible();
  await page.reload();
  await expect(page.getByText('No render matches')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(rows()).toHaveCount(4);

  await test.step('rows are reached and opened by keyboard', async () => {
    await page.keyboard.press('/');
    await expect(page.getByRole('searchbox', { name: 'Search' })).toBeFocused();
    await rows().first().getByRole('link').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(new RegExp(failed));
    await expect(page.getByRole('heading', { level: 1 })).toContainText(failed);
  });
});

test('Names have room on a tablet, and in any script show their beginning where they are cut off', async ({
  browser,
  dashboard: service,
}) => {
  const { id, templates } = await service.openAccount('مطبعة النور للطباعة والنشر والتوزيع');
  const { id: templateId } = await templates.create('<p>{{x}}', { name: 'قالب الفاتورة الضريبية المبسطة للشركات' });
  await templates.render(templateId, { x: 1 });
  const tablet = await service.openPage(browser, { accountId: id, role: 'owner' });
  await tablet.setViewportSize({ width: 1024, height: 768 });
  await tablet.goto('/dashboard/renders');
  const names = [rows(tablet).getByText('قالب'), tablet.locator('.switcher-name').first()];
  for (const name of names) await expect.poll(() => name.evaluate(showsFirstLetter)).toEqual([true, true]);
  const lists = { renders: 'Renders', 'renders?q=قالب': 'Search results', audit: 'Audit' };
  for (const [path, name] of Object.entries(lists)) {
    await tablet.goto(`/dashboard/${path}`);
    await expectNamesFitTablet(tablet, tablet.getByRole('table', { name }));
  }
});

test('Every filter selects, alone and with others', async () => {
  await open('/renders');
  await page.getByRole('button', { name: 'More filters' }).click();
  const cases: [string, string, number][] = [
    ['Mode', 'Template', 1],
    ['Input type', 'CSV', 1],
    ['Template', 'Offer', 1],
    ['Key', 'first key', 4],
    ['Response', 'Asynchronous', 1],
    ['Error', 'invalid_markdown', 1],
  ];
  for (const [filter, option, count] of cases) {
    await choose(filter, option);
    await expect(rows()).toHaveCount(count);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect(rows()).toHaveCount(4);
  }
  await choose('Status', 'Done');
  await choose('Mode', 'Document');
  await choose('Response', 'Synchronous');
  await expect(rows()).toHaveCount(1);
  await expect(rows().first()).toContainText('minutes.pdf');
  await expectAccessible(page);
  await open(`/renders?since=${new Date(Date.now() + 3_600_000).toISOString()}`);
  await expect(page.getByText('No render matches')).toBeVisible();
});

test('The search finds a render by any of its ids, and things by their names', async () => {
  const detail = (await (await owner.request.get(`/api/v1/renders/${render}`)).json()) as Body;
  await open('/renders');
  const field = page.getByRole('searchbox', { name: 'Search' });
  await expect(field).toHaveAttribute('placeholder', 'Id, trace, SHA-256, template');
  for (const text of [render, render.slice(0, 20), String(detail['request_id']), String(detail['pdf_sha256'])]) {
    const found = page.waitForResponse((response) => response.url().includes(`/search?q=${text}&`));
    await field.fill(text);
    await found;
    await expect(page).toHaveURL(new RegExp(`q=${text}(?:&|$)`));
    await expect(page.getByRole('table', { name: 'Search results' })).toBeVisible();
    await expect(rows().getByRole('link').first()).toHaveAttribute('href', new RegExp(render));
  }
  await field.fill(job);
  await expect(rows().getByRole('link').first()).toHaveAttribute('href', new RegExp(job.replace('job_', 'render_')));
  await field.fill('offer');
  await expect(rows().getByRole('link').first()).toHaveAttribute('href', new RegExp(template));
  await expectAccessible(page);
  await field.fill('nothing has this name');
  await expect(page.getByText('Nothing found')).toBeVisible();
  await expect(page.getByText('Names of files are not searched.')).toBeVisible();

  await test.step('a pasted API key never gets into an address', async () => {
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    await field.fill(dashboard.key.key);
    await expect(rows()).toHaveCount(1);
    await expect(rows().first()).toContainText('first key');
    for (const url of [...urls, page.url()]) expect(url).not.toContain(dashboard.key.key.slice(0, 20));
  });
});

test('A list of 100,000 renders keeps a bounded page, to its last row, also while it moves fast', async () => {
  await showManyRenders(page, 100_000);
  await open('/renders');
  const last = rows().last();
  await expect(rows().first()).toContainText('document-100000.pdf');
  const elements = () => page.evaluate(() => document.querySelectorAll('*').length);
  const atTop = await elements();
  // The key End scrolls to the end of what is drawn.
  await waitForFrames(page);
  await page.keyboard.press('End');
  await expect(last).toContainText('document-1.pdf');
  await expect(last).toHaveAttribute('aria-rowindex', '100001');
  await expect(page.getByText('100,000 rows · End of the list')).toBeVisible();
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight / 2));
  await expect(rows().filter({ hasText: 'document-50000.pdf' })).toBeVisible();
  // The rows of a window and a few more, not those that were scrolled through.
  expect(await rows().count()).toBeLessThan(60);
  expect(await elements()).toBeLessThan(atTop * 2);

  // Rows that appear while the list moves fast have their controls as soon as it stops.
  await page.evaluate(() => window.scrollTo(0, 0));
  await expect(rows().first().getByRole('button').first()).toBeVisible();
  const whileMoving = await page.evaluate(async () => {
    const counts: number[] = [];
    for (let frame = 0; frame < 30; frame += 1) {
      window.scrollBy(0, 15_000);
      await new Promise((resolve) => requestAnimationFrame(resolve));
      counts.push(document.querySelectorAll('.table-body button').length);
    }
    return counts;
  });
  expect(Math.min(...whileMoving)).toBe(0);
  await expect(rows().filter({ hasNot: page.getByRole('button') })).toHaveCount(0);
  await rows().nth(15).getByRole('link').click();
  await expect(page).toHaveURL(/\/renders\/render_\d+$/);
});

test('The age of a render goes on while the list is shown', async ({ browser, dashboard }) => {
  const account = await dashboard.openAccount();
  await account.client.render('html', '<p>first');
  const page = await dashboard.openPage(browser, { accountId: account.id, role: 'viewer' });
  await page.clock.install();
  await page.goto('/dashboard/renders');
  const age = page.locator('.table-body').getByRole('row').locator('time');
  await expect(age).toHaveText(/^now$|sec/);
  await page.clock.fastForward('10:00');
  await expect(age).toHaveText('10 min. ago');
});

test('New renders appear at the top of the list, and are offered to someone who reads further down', async () => {
  const isRendered = Promise.withResolvers<void>();
  await page.route('**/api/v1/events/live', async (route) => {
    await isRendered.promise;
    await route.continue();
  });
  await open('/renders');
  await expect(rows()).toHaveCount(4);
  const newest = rows().first().getByRole('link').first();
  // The stream, which begins later, has no message of it.
  const first = String((await send('/api/v1/render', { ...convert, file_name: 'fresh' })).id);
  isRendered.resolve();
  await expect(newest).toHaveAttribute('href', new RegExp(first));

  await page.setViewportSize({ width: 1440, height: 300 });
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(100);
  const second = String((await send('/api/v1/render', { ...convert, file_name: 'fresher' })).id);
  await page.getByRole('button', { name: /new render/ }).click();
  await expect(newest).toHaveAttribute('href', new RegExp(second));
});

test('A failed request is shown with a way to try again', async () => {
  let isBroken = true;
  // A message of the stream would load the list again.
  await page.route('**/api/v1/events/live', (route) => route.fulfill({ status: 403, json: {} }));
  await page.route('**/api/v1/renders?*', (route) =>
    isBroken
      ? route.fulfill({ status: 503, json: { error: 'service_unavailable', message: 'Not now.', code: 503 } })
      : route.continue(),
  );
  await open('/renders');
  await expect(page.getByText('Not now.')).toBeVisible();
  await expectAccessible(page);
  isBroken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(rows().first()).toBeVisible();
});

test('Another account has none of these renders; its list teaches the first one', async ({ browser }) => {
  const other = await openAccount(dashboard.installation, '--requests-per-minute', '100000');
  await issueKey(dashboard.installation, other);
  const stranger = await dashboard.signIn(browser, 'viewer', other);
  const theirs = await stranger.newPage();
  const header = { 'x-colophon-account': other };
  expect((await stranger.request.get(`/api/v1/renders/${render}`, { headers: header })).status()).toBe(404);
  const found = await stranger.request.get(`/api/v1/search?q=${render}`, { headers: header });
  expect(await found.json()).toEqual({ results: [] });
  await open('/renders', theirs);
  await expect(theirs.getByText('No renders yet')).toBeVisible();
  await expect(theirs.locator('pre')).toContainText('/api/v1/render');
  await theirs.setViewportSize({ width: 600, height: 800 });
  await expect.poll(() => theirs.locator('pre').evaluateAll(cutOff), 'the line is seen whole').toEqual([]);
  await expectAccessible(theirs);
  await open(`/renders/${render}`, theirs);
  await expect(theirs.getByRole('heading', { level: 1, name: 'There is no such render' })).toBeVisible();
  await expectAccessible(theirs);
  await stranger.close();
});

test('A viewer and a developer see the list; a long one is loaded while it is scrolled', async ({ browser }) => {
  await Promise.all(Array.from({ length: countOfMany }, () => send('/api/v1/render/async', convert)));
  for (const role of ['viewer', 'developer'] as const) {
    const context = await dashboard.signIn(browser, role);
    const shown = await context.newPage();
    await open('/renders', shown);
    await expect(rows(shown).first()).toBeVisible();
    expect(await rows(shown).count()).toBeLessThan(60);
    await expect(async () => {
      await shown.mouse.wheel(0, 4_000);
      await expect(shown.getByText(/rows · End of the list/)).toBeInViewport({ timeout: 500 });
    }).toPass();
    await expect(rows(shown).last()).toContainText('minutes.pdf');
    expect(await rows(shown).count()).toBeLessThan(60);
    await context.close();
  }
});

test('New renders appear in a filtered list only if they match', async () => {
  await open('/renders?input_type=xml');
  await expect(page.getByText('No render matches')).toBeVisible();
  const asked = page.waitForResponse(/\/renders\?.*input_type=xml/);
  await send('/api/v1/render', convert);
  await asked;
  await expect(page.getByText('No render matches')).toBeVisible();
  await expect(page.getByRole('button', { name: /new render/ })).toBeHidden();
  await send('/api/v1/render', { ...convert, input_type: 'xml', data: '<a>1</a>' });
  await expect(rows()).toHaveCount(1);
});

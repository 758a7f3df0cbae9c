import { expect } from '@playwright/test';
import { expectAccessible, expectFitsPhone, expectReadable } from './support/accessibility.ts';
import { createJobClient } from '../support/client/job-client.ts';
import { test } from './support/dashboard-service.ts';

test('The landing page leads to sign-in, to the reference and to a first PDF', async ({ page, dashboard }) => {
  await page.goto(`${dashboard.url}/`);
  await expect(page.getByRole('link', { name: /sign in/i }).first()).toBeVisible();
  await expect(page.locator('a[href="/docs"]').first()).toBeVisible();
  await expect(page.locator('pre').first()).toContainText('curl');
  await expectAccessible(page);
  await expectFitsPhone(page);
});

test('The reference can be read in the dark, its examples and tables too', async ({ page, dashboard }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${dashboard.url}/docs`);
  for (const name of ['Node.js', 'Python', 'PHP', 'Go']) await page.getByText(name, { exact: true }).click();
  await page.locator('#operations-Rendering-render button').first().click();
  await expect(page.getByText('To get', { exact: true })).toBeVisible();
  await expect(page.locator('.examples-select').first()).toBeVisible();
  await expectReadable(page, 'dark');
  const example = page.locator('.info .renderedMarkdown pre').first();
  await expect(example).toHaveCSS('background-color', 'rgb(13, 16, 20)');
  await expect(example.locator('code')).toHaveCSS('background-color', 'rgba(0, 0, 0, 0)');
});

/** Under TLS, browsers accept Brotli; over plain HTTP they only accept gzip. */
const transferredSize = async (url: string): Promise<number> => {
  const response = await fetch(url, { headers: { 'accept-encoding': 'br' } });
  await response.body?.cancel();
  return Number(response.headers.get('content-length'));
};

test('The first load with a chart is small and needs few requests, and everything comes from the own origin', async ({
  browser,
  dashboard,
}) => {
  const account = await dashboard.openAccount();
  await account.client.render('html', '<p>first');
  const page = await dashboard.openPage(browser, { accountId: account.id, role: 'owner' });
  const urls = new Set<string>();
  page.on('request', (request) => void urls.add(request.url()));
  await page.goto(`${dashboard.url}/dashboard`);
  await expect(page.locator('canvas').first()).toBeVisible();
  expect([...new Set([...urls].map((url) => new URL(url).origin))]).toEqual([dashboard.url]);
  const files = [...urls].filter((url) => new URL(url).pathname.startsWith('/dashboard'));
  const sizes = await Promise.all(files.map(transferredSize));
  expect(files.length).toBeGreaterThan(5);
  expect(files.length).toBeLessThan(16);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000);
});

test('A dialog dims the whole window, the place of the scrollbar too', async ({ browser, dashboard }) => {
  const { id: accountId } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId, role: 'owner' }, '/settings');
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  const root = page.locator('html');
  await expect(root).toHaveCSS('background-color', 'rgb(248, 247, 244)');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog')).toBeVisible();
  await expect(root).toHaveCSS('background-color', 'rgb(160, 161, 162)');
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(248, 247, 244)');
  await page.keyboard.press('Escape');
  await expect(root).toHaveCSS('background-color', 'rgb(248, 247, 244)');
});

test('A phone has the navigation in a drawer, and the content is one key away', async ({ browser, dashboard }) => {
  const { id: accountId } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId, role: 'owner' }, '/settings');
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();

  await page.setViewportSize({ width: 360, height: 740 });
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden();
  await page.getByRole('button', { name: 'Open the navigation' }).click();
  const drawer = page.getByRole('dialog', { name: 'Main' });
  await expect(drawer).toBeVisible();
  await expectAccessible(page);
  await drawer.getByRole('link', { name: 'Renders' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Renders' })).toBeVisible();
  await expect(drawer).toBeHidden();
  await expectFitsPhone(page);
  await page.context().close();
});

test('A screen of 4K is used, with larger text', async ({ browser, dashboard }) => {
  const { id: accountId } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId, role: 'owner' }, '/renders');
  const main = page.getByRole('main');
  const widthOf = async (): Promise<number> => (await main.boundingBox())!.width;
  const textSize = (): Promise<string> => main.evaluate((element) => getComputedStyle(element).fontSize);
  await page.setViewportSize({ width: 1920, height: 1080 });
  await expect.poll(widthOf).toBe(1536);
  await expect.poll(textSize).toBe('14px');
  await page.setViewportSize({ width: 3840, height: 2160 });
  await expect.poll(widthOf).toBeGreaterThan(2700);
  await expect.poll(textSize).toBe('16.8px');
  await expect(page.getByText('No renders yet')).toBeVisible();
  await expectAccessible(page);
});

test('Without motion, the whole page changes to dark colours at once', async ({ browser, dashboard }) => {
  const { id: accountId } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId, role: 'owner' }, '/renders');
  await expect(page.getByRole('heading', { level: 1, name: 'Renders' })).toBeVisible();
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  const colours = await page.evaluate(() =>
    [document.body, document.querySelector('h1')!].map((element) => getComputedStyle(element).color),
  );
  expect(colours).toEqual(['rgb(233, 235, 237)', 'rgb(233, 235, 237)']);
  await page.context().close();
});

test('A session that has ended leads to the sign-in, and that back to the page', async ({ browser, dashboard }) => {
  const person = { accountId: (await dashboard.openAccount('𠮷野家')).id, role: 'owner' } as const;
  const page = await dashboard.openPage(browser, person, '/settings');
  await expect(page.getByLabel('Account name')).toHaveValue('𠮷野家');
  await expect(page.locator('.switcher-mark')).toHaveText('𠮷');
  await expect(page.getByText(person.accountId, { exact: true })).toBeVisible();
  expect(await dashboard.send(page, 'DELETE', '/session')).toBe(204);
  await page.getByRole('link', { name: 'Renders' }).click();
  await expect(page).toHaveURL(`${dashboard.url}/dashboard/sign-in?next=%2Fdashboard%2Frenders`);
  await page.getByLabel('Link', { exact: true }).fill(`/#${await dashboard.issueLink(person)}`);
  await page.getByRole('button', { name: 'Sign in with the link' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Renders' })).toBeVisible();
  await page.context().close();
});

test('An unknown page leads back, and a lost connection is said', async ({ browser, dashboard }) => {
  const { id: accountId } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId, role: 'owner' }, '/nowhere');
  await expect(page.getByRole('heading', { level: 1, name: 'There is no such page' })).toBeVisible();
  await expectAccessible(page);
  await page
    .getByRole('main')
    .getByRole('link', { name: /overview/i })
    .click();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  const notice = page.getByText('No connection. The page shows what was loaded before.');
  await page.context().setOffline(true);
  await expect(notice).toBeVisible();
  await page.context().setOffline(false);
  await expect(notice).toBeHidden();
  await page.context().close();
});

test('A page of an older release is loaded from the new one, and one without a connection when it is back', async ({
  browser,
  dashboard,
}) => {
  const { id: accountId } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId, role: 'owner' }, '/people');
  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  const go = (name: string): Promise<void> => page.getByRole('navigation').getByRole('link', { name }).click();
  const assets = '**/dashboard/assets/**';
  await expect(heading('People')).toBeVisible();

  await page.context().setOffline(true);
  for (const name of ['Settings', 'API keys']) {
    await go(name);
    await expect(heading('The page could not be loaded')).toBeVisible();
    await expect(page.getByRole('alert')).toContainText('The service cannot be reached');
  }
  await expectAccessible(page);
  await page.context().setOffline(false);
  await expect(heading('API keys')).toBeVisible();

  await page.route(assets, (route) => route.fulfill({ status: 404, json: {} }));
  await page.route('**/dashboard/usage', async (route) => {
    await page.unroute(assets);
    await route.continue();
  });
  await go('Usage');
  await expect(heading('Usage')).toBeVisible();
});

test('A chart, an editor and images of an older release are loaded from the new one', async ({
  context,
  dashboard,
}) => {
  const account = await dashboard.openAccount();
  const jobs = createJobClient(account.client);
  const image = await jobs.submitAsync({ output: 'png' });
  await jobs.waitUntilEnded(image.job_id);
  const { id } = await account.templates.create('<p>Hello', { variables: [] });
  const page = await dashboard.openTemplates(context, account, 'developer');
  const replace = async (code: string, path: string): Promise<void> => {
    const assets = `**/dashboard/assets/${code}-*.js`;
    await page.route(assets, (route) => route.fulfill({ status: 404, json: {} }));
    await page.route(`**/dashboard${path}`, async (route) => {
      await page.unroute(assets);
      await route.continue();
    });
  };
  await replace('TemplateCode', `/templates/${id}`);
  await page.locator(`main a[href$="${id}"]`).first().click();
  await expect(page.getByRole('textbox', { name: 'HTML of the template' })).toBeVisible();

  await replace('UplotChart', '/usage');
  await page.getByRole('navigation').getByRole('link', { name: 'Usage' }).click();
  await expect(page.locator('.uplot').first()).toBeVisible();

  await page.getByRole('navigation').getByRole('link', { name: 'Renders' }).click();
  await replace('FileImages', `/renders/${image.id}`);
  await page.locator(`main a[href$="${image.id}"]`).first().click();
  await expect(page.locator('img.image-page')).toBeVisible();
});

test('Signing out ends the session and forgets everything in the page', async ({ browser, dashboard }) => {
  const { id } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId: id, role: 'owner' }, '/playground');
  await page.evaluate(() => Object.assign(window, { kept: 'in memory' }));
  await page.getByRole('button', { name: /owner\.acc/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(/\/dashboard\/sign-in/);
  expect(await page.evaluate(() => 'kept' in window)).toBe(false);
  expect(await dashboard.send(page, 'GET', '/account')).toBe(401);
});

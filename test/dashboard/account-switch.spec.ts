import { type Browser, expect, type Page } from '@playwright/test';
import { type DashboardService, test } from './support/dashboard-service.ts';

/** A person with several accounts, of which the press has a template. The page shows `path` of the mill. */
const openMill = async (dashboard: DashboardService, page: Page, path: string) => {
  const [mill, press] = [await dashboard.openAccount('Paper mill'), await dashboard.openAccount('Small press')];
  const shop = await dashboard.openAccount('Corner shop');
  await press.templates.create('<p>Hello', { name: 'Only of the press' });
  const email = `${mill.id.toLowerCase()}@example.com`;
  for (const { id } of [mill, press, shop])
    await dashboard.signIn(page.context(), { accountId: id, role: 'developer', email });
  await page.goto(`${dashboard.url}/dashboard${path}?account=${mill.id}`);
  await expect(switcher(page)).toContainText('Paper mill');
  await page.evaluate(() => Object.assign(window, { kept: 'in memory' }));
  return { mill, press, shop, email };
};

const switcher = (page: Page) => page.getByRole('button', { name: /^Switch account/ });
const choose = async (page: Page, name: string): Promise<void> => {
  await switcher(page).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitemradio', { name }).press('Enter');
};
const isKept = (page: Page): Promise<boolean> => page.evaluate(() => 'kept' in window);

const removeMember = async (
  dashboard: DashboardService,
  browser: Browser,
  accountId: string,
  email: string,
): Promise<void> => {
  const owner = await dashboard.openPage(browser, { accountId, role: 'owner' });
  const { members } = (await (await owner.request.get('/api/v1/members')).json()) as {
    members: { id: string; email: string }[];
  };
  const { id } = members.find((member) => member.email === email)!;
  expect(await dashboard.send(owner, 'DELETE', `/members/${id}`)).toBe(204);
};

/** Changes a template of the account that is shown, without saving it. */
const changeTemplate = async (page: Page): Promise<void> => {
  await page.getByRole('textbox', { name: 'HTML of the template' }).click();
  await page.keyboard.insertText('not saved ');
  await expect(page.getByRole('button', { name: 'Save version' })).toBeEnabled();
};

test('The account switcher shows the other account, and the browser remembers it', async ({ page, dashboard }) => {
  await openMill(dashboard, page, '/templates');
  await expect(page).toHaveURL(`${dashboard.url}/dashboard/templates`);
  await expect(page.getByRole('heading', { name: 'No templates yet' })).toBeVisible();
  await choose(page, 'Paper mill');
  expect(await isKept(page)).toBe(true);
  await choose(page, 'Small press');
  await expect(page.getByRole('link', { name: 'Only of the press' })).toBeVisible();
  await expect(switcher(page)).toContainText('Small pressDeveloper');
  expect(await isKept(page)).toBe(false);
  await page.reload();
  await expect(page.getByRole('link', { name: 'Only of the press' })).toBeVisible();
});

test('While the chosen account is awaited, the page is that of the shown one, and the last choice counts', async ({
  page,
  dashboard,
}) => {
  const { mill, press, shop } = await openMill(dashboard, page, '/templates');
  const isReleased = Promise.withResolvers<void>();
  await page.route('**/api/v1/session', async (route) => {
    const chosen = route.request().headers()['x-colophon-account'];
    if (chosen === shop.id) return route.abort();
    if (chosen === press.id) await isReleased.promise;
    return route.continue();
  });
  let cancelledRequests = 0;
  page.on('requestfailed', (request) => {
    if (request.headers()['x-colophon-account'] === press.id) cancelledRequests += 1;
  });
  const meanwhile = page.waitForRequest('**/api/v1/deliveries*');
  await choose(page, 'Small press');
  await page.getByRole('link', { name: 'Webhooks' }).click();
  expect((await meanwhile).headers()['x-colophon-account']).toBe(mill.id);
  await choose(page, 'Paper mill');
  await expect.poll(() => cancelledRequests).toBe(1);

  await choose(page, 'Small press');
  await choose(page, 'Corner shop');
  await expect(page.getByRole('alertdialog').first()).toBeVisible();
  await expect.poll(() => cancelledRequests).toBe(2);

  await choose(page, 'Small press');
  await page.getByRole('link', { name: 'Usage' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible();
  expect(await isKept(page)).toBe(true);
  isReleased.resolve();
  await expect(switcher(page)).toContainText('Small press');
  await expect(page).toHaveURL(`${dashboard.url}/dashboard/usage`);
});

test('To stay on a page with unsaved work is to stay in its account', async ({ page, dashboard }) => {
  const { mill } = await openMill(dashboard, page, '/templates');
  const { id } = await mill.templates.create('<p>Hello');
  await page.goto(`${dashboard.url}/dashboard/templates/${id}`);
  await changeTemplate(page);
  const question = page.waitForEvent('dialog').then((dialog) => dialog.dismiss());
  await choose(page, 'Small press');
  await question;
  await expect(page.getByText('not saved').first()).toBeVisible();
  const other = await page.context().newPage();
  await other.goto(`${dashboard.url}/dashboard`);
  await expect(switcher(other)).toContainText('Paper mill');
});

test('Who is removed from an account sees nothing more of it, but the account that was chosen last', async ({
  page,
  dashboard,
  browser,
}) => {
  const { mill, shop, email } = await openMill(dashboard, page, '/settings');
  // As another tab does.
  await page.evaluate((id) => localStorage.setItem('colophon.account', id), shop.id);
  await removeMember(dashboard, browser, mill.id, email);
  await page.getByRole('link', { name: 'Templates' }).click();
  await expect(switcher(page)).toContainText('Corner shop');
  expect(await isKept(page)).toBe(false);
});

test('Who is removed and stays for unsaved work reads why nothing else can be done', async ({
  page,
  dashboard,
  browser,
}) => {
  const { mill, email } = await openMill(dashboard, page, '/templates');
  const { id } = await mill.templates.create('<p>Hello');
  await page.goto(`${dashboard.url}/dashboard/templates/${id}`);
  await changeTemplate(page);
  let sessionRequests = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/api/v1/session')) sessionRequests += 1;
  });
  const question = page.waitForEvent('dialog').then((dialog) => dialog.dismiss());
  await removeMember(dashboard, browser, mill.id, email);
  await page.getByRole('link', { name: 'Settings' }).click();
  await question;
  await page.getByRole('link', { name: 'Usage' }).click();
  await expect(page.getByText('You are not a member of such an account.').first()).toBeVisible();
  expect(sessionRequests).toBe(1);
});

test('An account that was chosen last, but is none of the person any more, gives way to another on the same page', async ({
  page,
  dashboard,
}) => {
  await openMill(dashboard, page, '/templates');
  const { id } = await dashboard.openAccount('Of others');
  await page.goto(`${dashboard.url}/dashboard/usage?account=${id}`);
  await expect(switcher(page)).toContainText('Paper mill');
  await expect(page).toHaveURL(`${dashboard.url}/dashboard/usage`);
  expect(await page.evaluate(() => localStorage.getItem('colophon.account'))).toBe(null);
  await page.goto(`${dashboard.url}/dashboard/usage?account=${encodeURIComponent('€\n')}`);
  await expect(switcher(page)).toContainText('Paper mill');
});

test('Who signs in after another person on the same page finds nothing of theirs', async ({ page, dashboard }) => {
  const { mill } = await openMill(dashboard, page, '/templates');
  const { id } = await mill.templates.create('<p>Hello', { name: 'Letter' });
  await page.goto(`${dashboard.url}/dashboard/templates/${id}`);
  await changeTemplate(page);
  expect(await dashboard.send(page, 'DELETE', '/session')).toBe(204);
  // Another request of the page may lead to the sign-in first; then the link is gone.
  await page.evaluate(() => document.querySelector<HTMLElement>('a[href="/dashboard/renders"]')?.click());
  const link = await dashboard.issueLink({ accountId: mill.id, role: 'developer', email: 'next@example.com' });
  await page.getByLabel('Link', { exact: true }).fill(`/#${link}`);
  const question = page.waitForEvent('dialog').then((dialog) => dialog.accept());
  await page.getByRole('button', { name: 'Sign in with the link' }).click();
  await question;
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await page.getByRole('link', { name: 'Templates' }).click();
  await page.getByRole('link', { name: 'Letter' }).click();
  await expect(page.getByRole('textbox', { name: 'HTML of the template' })).toContainText('Hello');
  await expect(page.getByText('not saved')).toHaveCount(0);
});

test('A page that the browser kept in memory is loaded again', async ({ page, dashboard }) => {
  await openMill(dashboard, page, '/settings');
  const loaded = page.waitForEvent('load');
  await page.evaluate(
    () => void setTimeout(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))),
  );
  await loaded;
});

test('Tabs with six accounts leave a connection of the browser for another page', async ({ page, dashboard }) => {
  const email = 'many@example.com';
  const context = page.context();
  for (let count = 0; count < 6; count += 1) {
    const { id } = await dashboard.openAccount(`Mill ${count}`);
    await dashboard.signIn(context, { accountId: id, role: 'viewer', email });
    const tab = await context.newPage();
    const stream = tab.waitForResponse('**/api/v1/events/live');
    await tab.goto(`${dashboard.url}/dashboard/renders?account=${id}`);
    await stream;
  }
  await page.goto(`${dashboard.url}/dashboard/usage`);
  await expect(page.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible();
});

import { expect, type Page } from '@playwright/test';
import { readExamples } from '#libs/templating/examples.ts';
import { expectAccessible, expectFitsPhone } from './support/accessibility.ts';
import { test } from './support/dashboard-service.ts';

const card = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });
const drawn = (page: Page) => page.locator('.thumbnail[data-state=drawn]');
const greeting = { content: '<h1>Hello {{name}}</h1>', sample_data: { name: 'Ada' } };

test('The list shows first pages, versions, uses and failures, and filters them', async ({ dashboard, context }) => {
  const account = await dashboard.openAccount();
  const { templates } = account;
  const { id } = await templates.create(greeting.content, { ...greeting, name: 'Greeting', category: 'letter' });
  await templates.update(id, { description: 'second' });
  const { id: bare } = await templates.create('<p>{{x}}</p>', { name: 'No sample', category: 'report' });
  for (const data of [{ name: 'A' }, { name: 'B' }, {}]) await templates.render(id, data);
  const page = await dashboard.openTemplates(context, account, 'owner');
  await expect(drawn(page)).toHaveCount(1);
  await expect(card(page, 'Greeting')).toContainText('v2');
  await expect(card(page, 'Greeting')).toContainText('33.3 % failed');
  await expect(card(page, 'Greeting')).toContainText('Used 3 times');
  await expect(card(page, 'No sample')).toContainText('No preview: the template has no sample data.');
  await expect(card(page, 'No sample')).toContainText('Never used');
  await expectAccessible(page);

  await page.getByRole('searchbox', { name: 'Search by name' }).fill('greet');
  await expect(page.getByText('1 of 2 templates')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  for (const [filter, option, name] of [
    ['Category', 'Report', 'No sample'],
    ['State', 'With failures', 'Greeting'],
  ] as const) {
    await page.getByRole('button', { name: filter }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
    await expect(page.getByRole('listitem').filter({ has: page.locator('.thumbnail') })).toHaveCount(1);
    await expect(card(page, name)).toBeVisible();
    await page.getByRole('button', { name: 'Clear filters' }).click();
  }
  await card(page, 'Greeting').getByRole('link').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Greeting' })).toBeVisible();

  await page.goto(`${dashboard.url}/dashboard/templates/${bare}`);
  await expect(page.getByText('The template has no sample data. Add sample data in the tab')).toBeVisible();
  await templates.update(bare, { sample_data: { y: 1 } });
  await page.goto(`${dashboard.url}/dashboard/templates`);
  await expect(card(page, 'No sample')).toContainText('rendering with the sample data failed');
});

test('An account without templates learns how to make one, and a failed list can be loaded again', async ({
  dashboard,
  context,
}) => {
  const account = await dashboard.openAccount();
  const page = await dashboard.openTemplates(context, account, 'owner');
  await expect(page.getByRole('heading', { name: 'No templates yet' })).toBeVisible();
  await expect(page.locator('pre')).toContainText(
    `curl -sS --fail-with-body -X POST ${dashboard.url}/api/v1/templates`,
  );
  await page.route('**/api/v1/templates?*', (route) => route.fulfill({ status: 500, json: { message: 'broken' } }));
  await page.goto(`${dashboard.url}/dashboard/templates`);
  await expect(page.getByRole('alert')).toContainText('broken');
  await page.unroute('**/api/v1/templates?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'No templates yet' })).toBeVisible();
});

test('A template begins from scratch or with an example', async ({ dashboard, context }) => {
  const account = await dashboard.openAccount();
  const page = await dashboard.openTemplates(context, account, 'developer', '/new');
  const name = page.getByRole('textbox', { name: 'Name' });
  const create = page.getByRole('button', { name: 'Create the template' });
  // From scratch is the other one.
  await expect(page.getByRole('radio')).toHaveCount((await readExamples()).length + 1);
  await expect(drawn(page).first()).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(name).toBeInViewport();
  await expectFitsPhone(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page
    .getByRole('radio', { name: /^First page of Invoice|Invoice/ })
    .first()
    .focus();
  await page.getByText('Invoice', { exact: true }).click();
  await name.fill('My invoice');
  await create.click();
  await expect(page.getByRole('heading', { level: 1, name: 'My invoice' })).toBeVisible();
  await expect(page.locator('.cm-content')).toContainText('{{label "invoice"}}');
  await page.goto(`${dashboard.url}/dashboard/templates/new`);
  await name.fill('My invoice');
  await create.click();
  await expect(page.getByRole('alert')).toContainText('already has a template');
  await name.fill('Mine');
  await create.click();
  await expect(page.getByRole('heading', { level: 1, name: 'Mine' })).toBeVisible();
  const { templates } = (await account.templates.send('GET', '')).body as { templates: { name: string }[] };
  expect(templates.map((template) => template.name)).toEqual(['Mine', 'My invoice']);
});

test('A template is duplicated, and deleted when its name is typed', async ({ dashboard, context }) => {
  const account = await dashboard.openAccount();
  const { id } = await account.templates.create(greeting.content, { ...greeting, name: 'Greeting' });
  const page = await dashboard.openTemplates(context, account, 'owner', `/${id}`);
  const choose = async (action: string): Promise<void> => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await choose('Duplicate');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Greeting (copy)' })).toBeVisible();
  await choose('Delete');
  const remove = page.getByRole('button', { name: 'Delete the template' });
  await expect(remove).toBeDisabled();
  const typed = page.getByRole('textbox', { name: 'Type Greeting (copy) to confirm' });
  const deletions: string[] = [];
  page.on('request', (request) => request.method() === 'DELETE' && deletions.push(request.url()));
  await typed.press('Enter');
  await expect(remove).toBeVisible();
  // The answer to a later request of the page: a deletion would have been seen before.
  await page.evaluate(() => fetch(location.href).then(({ status }) => status));
  expect(deletions).toEqual([]);
  await account.templates.get(new URL(page.url()).pathname.split('/').at(-1)!);
  await typed.fill('Greeting (copy)');
  await typed.press('Enter');
  await expect(card(page, 'Greeting')).toHaveCount(1);
  expect((await account.templates.get(id)).sample_data).toEqual(greeting.sample_data);
});

test('Versions are compared by source, settings and pages, and restored', async ({ dashboard, context }) => {
  const account = await dashboard.openAccount();
  const { id } = await account.templates.create(greeting.content, { ...greeting, name: 'Greeting' });
  await account.templates.update(id, { content: '<h1>Good day {{name}}</h1>', changes: 'More polite' });
  await account.templates.update(id, { default_options: { page_size: 'A5' } });
  const page = await dashboard.openTemplates(context, account, 'owner', `/${id}?tab=versions`);
  await expect(page.getByRole('row', { name: /More polite/ })).toContainText('v2');
  await page.getByRole('button', { name: /Older/ }).click();
  await page.getByRole('option', { name: 'Version 1' }).click();
  await expect(page.locator('.source-diff .cm-changedText').first()).toBeVisible();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await expect(page.locator('.source-diff')).toContainText('"page_size": "A5"');
  await page.getByRole('tab', { name: 'Pages' }).click();
  await expect(page.locator('[data-compared=true]')).toHaveText('1 of 1 page changed.');
  await expect(page.getByRole('button', { name: /Page 1: [\d.]+ % of the pixels changed/ })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Restore version 1' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByRole('row', { name: /v4/ })).toContainText('restored version 1');
  expect(await account.templates.get(id)).toMatchObject({ version: 4, content: greeting.content });
});

test('Versions are compared with enough contrast, and restored on a phone', async ({ dashboard, context }) => {
  const account = await dashboard.openAccount('Mill', 'Deploy key');
  const content = '<h1 class="big">Hello {{name}}</h1>\n<p>{{!-- note --}}{{formatDate name "long"}}</p>';
  const { id } = await account.templates.create(content, { ...greeting, name: 'Greeting' });
  const heading = '<!-- v2 --><h1 class="small" id="x">Bye {{#if name}}{{name}}{{/if}}</h1>';
  const changed = `${heading}\n<p>{{!-- other --}}{{formatDate name "short"}} 2</p>`;
  const changes = 'A comment '.repeat(20).trim();
  await account.templates.update(id, { content: changed, changes });
  const page = await dashboard.openTemplates(context, account, 'developer', `/${id}?tab=versions`);
  const row = page.getByRole('row', { name: /v1/ });
  await expect(row).toContainText('Deploy key');
  await expect(page.locator('.source-diff .cm-changedText').first()).toBeVisible();
  await expectAccessible(page);
  await expectFitsPhone(page);

  await page.setViewportSize({ width: 360, height: 740 });
  await page.reload();
  await expect(page.locator('.source-diff .cm-deletedText').first()).toBeVisible();
  const note = page.getByText(`What changed in version 2: ${changes}`);
  await expect(note).toBeVisible();
  expect(await note.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await expectAccessible(page);
  const restore = row.getByRole('button', { name: 'Restore version 1' });
  const box = (await restore.boundingBox())!;
  expect(box.x + box.width).toBeLessThanOrEqual(360);
  await restore.click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByRole('row', { name: /v3/ })).toContainText('restored version 1');
});

test('A viewer reads everything and changes nothing, by page or by request', async ({ dashboard, context }) => {
  const account = await dashboard.openAccount();
  const { id } = await account.templates.create(greeting.content, { ...greeting, name: 'Greeting' });
  await account.templates.update(id, { description: 'second' });
  const page = await dashboard.openTemplates(context, account, 'viewer');
  await expect(drawn(page)).toHaveCount(1);
  await expect(page.getByRole('link', { name: 'New template' })).toHaveCount(0);
  await page.getByRole('link', { name: 'Greeting' }).click();
  await expect(page.getByText('Your role can read templates but not change them.')).toBeVisible();
  await expect(page.locator('[data-drawn-page]')).toBeVisible();
  await page.locator('.cm-content').focus();
  await page.keyboard.type('x');
  await expect(page.locator('.cm-content')).toHaveText(greeting.content);
  await page.getByRole('button', { name: 'More actions' }).click();
  for (const action of ['Duplicate', 'Delete'])
    await expect(page.getByRole('menuitem', { name: action })).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Versions' }).click();
  await expect(page.getByText(/^The plan keeps (?:all|the last \d+) versions\.$/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Restore version 1' })).toHaveAttribute('aria-disabled', 'true');
  await page.goto(`${dashboard.url}/dashboard/templates/new`);
  await expect(page.getByText('No preview: your role cannot make PDFs.')).toHaveCount(
    (await readExamples()).length + 1,
  );

  const path = `${dashboard.url}/api/v1/templates`;
  const headers = { origin: dashboard.url };
  const { request } = context;
  const statuses = await Promise.all([
    request.post(path, { headers, data: { name: 'x', content: 'x' } }),
    request.put(`${path}/${id}`, { headers, data: { content: 'x' } }),
    request.post(`${path}/${id}/restore`, { headers, data: { version: 1 } }),
    request.post(`${path}/preview`, { headers, data: { content: 'x', data: {} } }),
    request.delete(`${path}/${id}`, { headers }),
  ]);
  expect(statuses.map((response) => response.status())).toEqual([403, 403, 403, 403, 403]);
});

test("Another account's template does not exist", async ({ dashboard, context }) => {
  const [account, other] = [await dashboard.openAccount(), await dashboard.openAccount()];
  const { id } = await other.templates.create('x', { name: 'Theirs' });
  const page = await dashboard.openTemplates(context, account, 'owner', `/${id}`);
  await expect(page.getByRole('heading', { level: 1, name: 'There is no such template' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
  await expect(page.getByText('Theirs')).toHaveCount(0);
  await page.goto(`${dashboard.url}/dashboard/webhooks/job_01K6ZC5B8Q4XJ0N9T2V7RWHE3M`);
  await expect(page.getByRole('heading', { level: 1, name: 'There is no such callback' })).toBeVisible();
});

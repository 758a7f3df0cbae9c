import { expect, type Page } from '@playwright/test';
import { readExample } from '#libs/templating/examples.ts';
import { readPdf } from '../support/documents/read-pdf.ts';
import { expectAccessible } from './support/accessibility.ts';
import { type DashboardService, test } from './support/dashboard-service.ts';

const content = '<h1>Hello {{name}}</h1>\n';
const greeting = {
  name: 'Greeting',
  sample_data: { name: 'Ada', items: [{ title: 'Ink', price: 4 }] },
  variables: [{ name: 'name', type: 'string', required: true }],
  labels: { en: { total: 'Total' }, de: { total: 'Summe' } },
};

type Account = Awaited<ReturnType<DashboardService['openAccount']>>;
const openGreeting = async (dashboard: DashboardService, context: Parameters<DashboardService['openTemplates']>[0]) => {
  const account: Account = await dashboard.openAccount();
  const { id } = await account.templates.create(content, greeting);
  const page = await dashboard.openTemplates(context, account, 'developer', `/${id}`);
  await expect(page.locator('.live-preview[data-state=current] [data-drawn-page]')).toBeVisible();
  return { account, id, page, shown: await watchPreviews(page) };
};

const code = (page: Page) => page.getByRole('textbox', { name: 'HTML of the template' });
const save = (page: Page) => page.getByRole('button', { name: 'Save version' });
const part = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });

/** Moves to the end of the template. */
const goToEnd = async (page: Page): Promise<void> => {
  await code(page).click();
  await page.keyboard.press('Control+End');
};

type Preview = { status: number; text: string; isLandscape: boolean };
/** The last preview that the page got. A browser does not give the body of a PDF to a test, so it is taken on its way. */
const watchPreviews = async (page: Page): Promise<() => Preview | undefined> => {
  let last: Preview | undefined;
  let begun = 0;
  let lastNumber = 0;
  await page.route('**/api/v1/templates/preview', async (route) => {
    const number = (begun += 1);
    // A newer preview, or the end of the test, takes the request away.
    const response = await route.fetch().catch(() => null);
    const body = await response?.body().catch(() => null);
    if (!response || !body) return;
    const pages = response.ok() ? await readPdf(body.toString('base64')) : [];
    const text = response.ok() ? pages.map((sheet) => sheet.text).join('\n') : body.toString();
    if (number > lastNumber) {
      lastNumber = number;
      last = { status: response.status(), text, isLandscape: pages.some(({ width, height }) => width > height) };
    }
    await route.fulfill({ response, body }).catch(() => undefined);
  });
  return () => last;
};
const expectText = (preview: () => Preview | undefined, text: string): Promise<void> =>
  expect.poll(() => preview()?.text).toContain(text);

test('The preview follows what is written, and an error leaves the last preview', async ({ dashboard, context }) => {
  const { page, shown } = await openGreeting(dashboard, context);
  await goToEnd(page);
  const preview = page.locator('.live-preview');
  const drawn = Number(await preview.getAttribute('data-drawn'));
  await page.keyboard.type('and {{name}} again');
  await expectText(shown, 'and Ada again');
  await expect.poll(async () => Number(await preview.getAttribute('data-drawn'))).toBeGreaterThan(drawn);
  await expect(page.getByText('1 page in')).toBeVisible();

  await page.keyboard.type(' {{#if name');
  await expect(preview).toContainText('Line 2: ');
  await expect(preview.locator('canvas')).toBeVisible();
  await expect(page.locator('.cm-lint-marker-error')).toBeVisible();
  await page.getByText('1 problem', { exact: true }).click();
  await expect(page.locator('.issues')).toContainText('Line 2');
  await expectAccessible(page);
  await code(page).focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('yes{{/if}}');
  await expectText(shown, 'again yes');
  await expect(preview).not.toContainText('Line 2');
  await expect(page.getByText('No problems')).toBeVisible();

  await page.keyboard.type('{{unknown_name}}');
  await expect(page.locator('.cm-lint-marker-warning')).toBeVisible();
  await expect(page.locator('.hbs-helper, .hbs-keyword').first()).toBeVisible();
});

test('A preview that an older request replaced is requested again', async ({ dashboard, context }) => {
  const { page, shown } = await openGreeting(dashboard, context);
  let replacedCount = 0;
  await page.route(
    '**/api/v1/templates/preview',
    (route) => {
      replacedCount += 1;
      return route.fulfill({ status: 409, json: { error: 'preview_replaced', message: 'Replaced.', code: 409 } });
    },
    { times: 1 },
  );
  await goToEnd(page);
  await page.keyboard.insertText('and once more');
  await expectText(shown, 'and once more');
  expect(replacedCount).toBe(1);
});

test('Variables and helpers are completed, also inside a block', async ({ dashboard, context }) => {
  const { page } = await openGreeting(dashboard, context);
  await goToEnd(page);
  const options = page.locator('.cm-tooltip-autocomplete');
  await page.keyboard.type('{{form');
  await expect(options).toContainText('formatDate');
  await expect(options).toContainText('{{formatCurrency amount "EUR"}}');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Backspace');
  await page.keyboard.type('#each items}}{{ti');
  await expect(options).toContainText('title');
  await options.getByRole('option', { name: /title/ }).click();
  await expect(code(page)).toContainText('{{#each items}}{{title');
  await page.keyboard.press('End');
  await page.keyboard.type(' {{label "to');
  await expect(options).toContainText('Total');
});

test('Sample data, variables, labels and options change the preview', async ({ dashboard, context }) => {
  const { page, id, account, shown } = await openGreeting(dashboard, context);
  await part(page, 'Sample data').click();
  const data = page.getByRole('textbox', { name: 'Sample data as JSON' });
  const write = async (text: string): Promise<void> => {
    await data.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(text);
  };
  await write('{"name": "Grace"}');
  await expectText(shown, 'Hello Grace');
  await write('{"name": 5');
  await expect(page.locator('.live-preview')).toContainText('The sample data are not JSON');
  await expect(page.locator('.cm-lint-marker-error')).toBeVisible();
  await write('{"name": 5}');
  await expect(page.locator('.cm-lint-marker-warning')).toBeVisible();
  await page.getByText('Schema of the data').click();
  await expect(page.locator('.json')).toContainText('"required"');
  await expectAccessible(page);
  await write('{"name": "Grace", "due": "2026-01-31"}');

  await part(page, 'Variables').click();
  await page.getByRole('button', { name: 'Add those of the sample data' }).click();
  await expect(page.getByRole('group', { name: 'Variable 2' }).getByRole('textbox')).toHaveValue('due');
  await expectAccessible(page);
  await part(page, 'Labels').click();
  await page.getByRole('textbox', { name: 'total' }).fill('Sum');
  await page.getByRole('textbox', { name: 'Language tag, such as de or pt-BR' }).fill('fr');
  await page.getByRole('button', { name: 'Add a language' }).click();
  await expect(page.getByRole('textbox', { name: 'total' })).toHaveAttribute('placeholder', 'As in English: Sum');
  await expectAccessible(page);
  await part(page, 'Options').click();
  await page.getByRole('textbox', { name: 'Margin top' }).fill('2cm');
  await page.getByText('Rendering', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Scale' }).fill('9');
  await expect(page.locator('.live-preview')).toContainText('scale');
  await page.getByRole('textbox', { name: 'Scale' }).fill('');
  await page.getByRole('button', { name: /Orientation/ }).click();
  await page.getByRole('option', { name: 'landscape' }).click();
  await expect.poll(() => shown()?.isLandscape).toBe(true);
  await expectAccessible(page);

  await save(page).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Version 2 is saved')).toBeVisible();
  expect(await account.templates.get(id)).toMatchObject({
    sample_data: { name: 'Grace', due: '2026-01-31' },
    variables: [{ name: 'name' }, { name: 'due', type: 'date' }],
    labels: { en: { total: 'Sum' }, de: { total: 'Summe' }, fr: {} },
    default_options: { margin_top: '2cm', orientation: 'landscape' },
  });
});

test('Default options with several values are shown, and kept when one of them changes', async ({
  dashboard,
  context,
}) => {
  const account = await dashboard.openAccount();
  const stored = {
    thumbnail: { width: 640 },
    watermark: { text: 'DRAFT', position: 'top_left' },
    page_numbers: { restart_by_part: true, margin: '1cm', font_size: 11, color: '#336699' },
  };
  const { id } = await account.templates.create(content, { ...greeting, default_options: stored });
  const before = (await account.templates.get(id))['default_options'] as typeof stored;
  const page = await dashboard.openTemplates(context, account, 'developer', `/${id}`);
  await part(page, 'Options').click();
  await page.getByRole('button', { name: 'Unfold all groups' }).click();
  const group = (name: string) => page.getByRole('group', { name, exact: true });
  await expect(group('PDF or images').getByRole('textbox', { name: /Width of the thumbnail/ })).toHaveValue('640');
  await expect(group('Watermark').getByRole('button', { name: /Position/ })).toContainText('top_left');
  const numbers = group('Page numbers');
  await expect(numbers.getByRole('button', { name: /Begin again/ })).toContainText('Yes');
  await expect(numbers.getByRole('textbox', { name: 'Distance from the edge' })).toHaveValue('1cm');
  await expect(numbers.getByRole('textbox', { name: 'Colour' })).toHaveValue('#336699');
  await numbers.getByRole('textbox', { name: 'Size in points' }).fill('12');
  await save(page).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Version 2 is saved')).toBeVisible();
  expect((await account.templates.get(id))['default_options']).toEqual({
    ...before,
    page_numbers: { ...before.page_numbers, font_size: 12 },
  });
});

test('A version is saved with its description; a conflict says what changed and keeps it', async ({
  dashboard,
  context,
}) => {
  const { page, id, account } = await openGreeting(dashboard, context);
  await goToEnd(page);
  await page.keyboard.type('first');
  await save(page).click();
  await page.getByRole('textbox', { name: /What changed/ }).fill('A greeting more');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Version 2 is saved')).toBeVisible();
  expect((await account.templates.versions(id))[0]).toMatchObject({ version: 2, changes: 'A greeting more' });

  await goToEnd(page);
  await page.keyboard.type(' second');
  await account.templates.update(id, { description: 'By a colleague', changes: 'Described' });
  await save(page).click();
  const dialog = page.getByRole('dialog');
  const cancel = dialog.getByRole('button', { name: 'Cancel' });
  await dialog.getByRole('textbox', { name: /What changed/ }).press('Enter');
  await expect(dialog).toContainText('Version 3: Described');
  await expect(cancel).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  expect((await account.templates.versions(id))[0]).toMatchObject({ version: 3 });

  await save(page).click();
  await dialog.getByRole('textbox', { name: /What changed/ }).press('Enter');
  await expect(dialog).toContainText('Version 3: Described');
  await account.templates.update(id, { changes: 'Once more' });
  await dialog.getByRole('button', { name: 'Save mine as version 4' }).click();
  await expect(dialog).toContainText('Version 4: Once more');
  await expect(cancel).toBeFocused();
  await dialog.getByRole('button', { name: 'Compare' }).click();
  await expect(dialog.locator('.source-diff')).toContainText('first second');
  await dialog.getByRole('button', { name: 'Save mine as version 5' }).click();
  await expect(page.getByText('Version 5 is saved')).toBeVisible();
  const stored = await account.templates.get(id);
  expect(stored).toMatchObject({ version: 5, description: 'By a colleague' });
  expect(stored.content).toContain('first second');
});

test('Unsaved changes stay in the memory of the tab, and closing it asks', async ({ dashboard, context }) => {
  const { page, account, id } = await openGreeting(dashboard, context);
  await goToEnd(page);
  await page.keyboard.type('unsaved words');
  await expect(page.getByText('Not saved: HTML')).toBeVisible();
  await page.getByRole('link', { name: 'Templates' }).first().click();
  await page.getByRole('link', { name: 'Greeting' }).click();
  await expect(code(page)).toContainText('unsaved words');
  expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain(
    'words',
  );
  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(code(page)).not.toContainText('unsaved words');
  await expect(save(page)).toBeDisabled();
  expect(await account.templates.get(id)).toMatchObject({ version: 1 });
});

test('The editor is left by keyboard, and fits a phone', async ({ dashboard, context }) => {
  const { page } = await openGreeting(dashboard, context);
  await code(page).focus();
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Tab');
  await expect(page.getByText('Not saved: HTML')).toBeVisible();
  await expect(code(page)).toBeFocused();
  await expect(async () => {
    // The editor forgets Escape after two seconds; Tab then indents.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await expect(code(page)).not.toBeFocused({ timeout: 500 });
  }).toPass();
  await part(page, 'HTML').focus();
  await page.keyboard.press('ArrowRight');
  await expect(part(page, 'Sample data')).toBeFocused();

  await page.setViewportSize({ width: 360, height: 740 });
  await part(page, 'Preview').click();
  await expect(page.locator('[data-drawn-page]')).toBeVisible();
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await expectAccessible(page);
});

test('The shipped invoice is shown as it is written', async ({ dashboard, context }) => {
  const account = await dashboard.openAccount();
  const { template, sample } = await readExample('invoice');
  const { content: html, ...fields } = template;
  const { id } = await account.templates.create(html, { ...fields, sample_data: sample });
  const page = await dashboard.openTemplates(context, account, 'developer', `/${id}`);
  await expect(page.locator('.live-preview[data-state=current] [data-drawn-page]')).toBeVisible();
  const shown = await watchPreviews(page);
  await goToEnd(page);
  await page.keyboard.type('<p>Thank you</p>');
  await expectText(shown, 'Thank you');
  await expectText(shown, 'Northlight Museum of Design');
});

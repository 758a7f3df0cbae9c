import { expect } from '@playwright/test';
import { readExample } from '#libs/templating/examples.ts';
import { expectAccessible } from './support/accessibility.ts';
import { test } from './support/dashboard-service.ts';
import { code, expectText, goToEnd, openGreeting, part, save, watchPreviews } from './support/template-editor.ts';

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
  await expect(page.getByText('No problems in the HTML')).toBeVisible();

  await page.keyboard.type('{{unknown_name}}');
  await expect(page.locator('.cm-lint-marker-warning')).toBeVisible();
  await expect(page.locator('.hbs-helper, .hbs-keyword').first()).toBeVisible();
});

test('A preview that fails and may succeed later is requested three times at most', async ({ dashboard, context }) => {
  const { page, shown } = await openGreeting(dashboard, context);
  const path = '**/api/v1/templates/preview';
  const add = async (text: string): Promise<void> => {
    await goToEnd(page);
    await page.keyboard.insertText(text);
  };
  for (const [reason, code, error] of [
    ['an older request replaced', 409, 'preview_replaced'],
    ['the service had no room for', 503, 'service_unavailable'],
  ] as const)
    await test.step(`a preview that ${reason}`, async () => {
      let failedCount = 0;
      await page.route(
        path,
        (route) => {
          failedCount += 1;
          return route.fulfill({ status: code, json: { error, message: 'Not now.', code } });
        },
        { times: 1 },
      );
      await add(`after ${code}`);
      await expectText(shown, `after ${code}`);
      expect(failedCount).toBe(1);
    });

  await test.step('a preview that may crash the browser each time', async () => {
    let failedCount = 0;
    await page.route(path, (route) => {
      failedCount += 1;
      return route.fulfill({ status: 503, json: { error: 'service_unavailable', message: 'It crashed.', code: 503 } });
    });
    await add('and once more');
    await expect(page.locator('.live-preview[data-state=failed]')).toContainText('It crashed.');
    expect(failedCount).toBe(3);
  });
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

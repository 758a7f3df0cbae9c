import { expect } from '@playwright/test';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import { test } from './support/dashboard-service.ts';
import { code, content, goToEnd, greeting, openGreeting, part, save } from './support/template-editor.ts';

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

test('Numbers of the sample data keep their digits', async ({ dashboard, context }) => {
  const account = await dashboard.openAccount();
  const [iban, changed, rate] = ['370400440532013000123', '370400440532013000124', '0.12345678901234567890'];
  const exact = parseExactJson(`{"iban": ${iban}, "rate": ${rate}}`);
  const { id } = await account.templates.create('<p>{{iban}}</p>\n', { sample_data: exact, variables: [] });
  const page = await dashboard.openTemplates(context, account, 'developer', `/${id}`);
  await part(page, 'Sample data').click();
  const data = page.getByRole('textbox', { name: 'Sample data as JSON' });
  await expect(data).toContainText(`"rate": ${rate}`);
  await data.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(`{"iban": ${changed}, "rate": ${rate}, "place": "Köln"}`);
  await save(page).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Version 2 is saved')).toBeVisible();
  const { text } = await account.templates.send('GET', `/${id}`);
  expect(text).toContain(`{"iban":${changed},"rate":${rate},"place":"Köln"}`);
  await expect(data).toContainText(`"iban": ${changed},  "rate": ${rate}`);
  await part(page, 'Variables').click();
  await page.getByRole('button', { name: 'Add those of the sample data' }).click();
  const type = page.getByRole('group', { name: 'Variable 1' }).getByRole('button', { name: /Type/ });
  await expect(type).toContainText('Number');
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

test('Unsaved changes stay in the memory of the tab, also if a release has replaced code, and closing it asks', async ({
  dashboard,
  context,
}) => {
  const { page, account, id } = await openGreeting(dashboard, context);
  const goTo = (name: string): Promise<void> => page.getByRole('navigation').getByRole('link', { name }).click();
  await account.client.render('html', '<p>first');
  await goToEnd(page);
  await page.keyboard.type('unsaved words');
  await expect(page.getByText('Not saved: HTML')).toBeVisible();
  await page.route('**/dashboard/assets/UplotChart-*.js', (route) => route.fulfill({ status: 404, json: {} }));
  await goTo('Usage');
  await expect(page.getByText('You have changes that are not saved. Save them first')).toBeVisible();
  await goTo('Templates');
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

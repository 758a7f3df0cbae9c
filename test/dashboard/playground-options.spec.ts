import { expect } from '@playwright/test';
import { expectAccessible, expectFitsPhone } from './support/accessibility.ts';
import { test } from './support/dashboard-service.ts';
import { chooseOption, chooseType, makePdf, result, sample, showOptions } from './support/playground.ts';

test('Options change the PDF, and the same call is shown as programs', async ({ browser, dashboard }) => {
  const { id } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId: id, role: 'owner' }, '/playground');
  await showOptions(page);
  await page.getByLabel('Page ranges').fill('7');
  await makePdf(page);
  await expect(result(page).getByRole('alert')).toContainText('page_ranges');
  const code = page.getByRole('region', { name: 'The same from a program' });
  for (const [language, text] of [
    ['curl', '"page_ranges": "7"'],
    ['Node.js', 'process.env.COLOPHON_KEY'],
    ['Python', 'requests.post('],
  ] as const) {
    await code.getByRole('tab', { name: language }).click();
    await expect(code).toContainText(text);
  }
});

test('Options are in groups that fold, show how many are set, and open where one is invalid', async ({
  browser,
  dashboard,
}) => {
  const { id } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId: id, role: 'owner' }, '/playground');
  const all = page.locator('.playground-options > summary');
  const group = (title: string) => page.locator('.option-group > summary').filter({ hasText: title });
  await all.click();
  await expect(group('Page numbers')).toBeVisible();
  await expect(page.getByLabel('Scale')).toBeHidden();
  await page.getByLabel('Margin top').fill('25');
  await group('Rendering').click();
  await page.getByLabel('Scale').fill('9');
  await expect(all).toContainText('2 set');
  await expect(group('Rendering')).toContainText('1 set');
  await expect(group('Metadata')).not.toContainText('set');
  await group('Rendering').click();
  await expect(page.getByLabel('Scale')).toBeHidden();
  await makePdf(page);
  await expect(group('Rendering')).toContainText('Invalid');
  await expect(page.getByLabel('Scale')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Make the PDF' })).toBeInViewport();
  await expectAccessible(page);
  await expectFitsPhone(page);
  await page.getByRole('button', { name: 'Unfold all groups' }).click();
  await expect(page.getByLabel('Text on every page')).toBeVisible();
  await page.getByRole('button', { name: 'Fold all groups' }).click();
  await expect(page.getByLabel('Margin top')).toBeHidden();
});

test('Pages are shown as images, and programs receive them', async ({ browser, dashboard }) => {
  const { id } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId: id, role: 'owner' }, '/playground');
  await showOptions(page);
  await chooseOption(page, 'Output', 'png');
  await chooseType(page, 'HTML');
  await page.getByRole('textbox', { name: 'Document' }).fill('<p>one<p style="break-before:page">two');
  await makePdf(page);
  await expect(result(page).getByRole('img')).toHaveCount(2);
  await expect(page.getByRole('region', { name: 'The same from a program' })).toContainText(
    'image/png, application/zip',
  );
  await page.getByRole('link', { name: 'Show the render' }).click();
  await expect(page.getByText('png', { exact: true }).first()).toBeVisible();
});

test('Metadata, standards, files and invoices are options', async ({ browser, dashboard }) => {
  const { id, client } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId: id, role: 'owner' }, '/playground');
  await showOptions(page);
  await chooseOption(page, 'Archive standard', 'pdf/a-3b');
  await chooseOption(page, 'Accessibility standard', 'Yes');
  await page.getByLabel('PDF title').fill('Minutes of May');
  await page.getByLabel('Authors').fill('Ada\nGrace');
  await page.getByLabel('Further entries').fill('CaseNumber: 2026-118');
  const [attach, invoice] = ['Attach files', 'Choose an XML file'];
  for (const [button, files] of [
    [attach, [sample('orders.csv'), sample('order.json')]],
    [invoice, [sample('../invoices/basic.xml')]],
  ] as const) {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: button }).click();
    await (await chooser).setFiles([...files]);
  }
  const orders = page.getByRole('group', { name: 'orders.csv' });
  await orders.getByRole('button', { name: /Relationship/ }).click();
  await page.getByRole('option', { name: 'Data', exact: true }).click();
  await page.getByRole('button', { name: 'Remove the file order.json' }).click();
  await chooseOption(page, 'Profile of the invoice', 'basic');
  await makePdf(page);
  await expect(result(page).locator('canvas').first()).toBeVisible();
  await expectAccessible(page);
  const { body } = await client.request('GET', '/api/v1/renders');
  const [{ id: renderId } = { id: '' }] = body['renders'] as { id: string }[];
  const recorded = await client.request('GET', `/api/v1/renders/${renderId}`);
  expect(recorded.body['request']).toMatchObject({
    options: {
      conformance: ['pdf/a-3b', 'pdf/ua-1'],
      metadata: { title: 'Minutes of May', author: ['Ada', 'Grace'], custom: { CaseNumber: '2026-118' } },
    },
  });
  const code = page.getByRole('region', { name: 'The same from a program' });
  await expect(code).toContainText('attachments=@orders.csv;type=text/csv');
  await expect(code).toContainText(/"relationship": "Data"/);
});

test('Every violation of a standard is listed, also on the page of the render', async ({ browser, dashboard }) => {
  const { id } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId: id, role: 'owner' }, '/playground');
  await chooseType(page, 'HTML');
  const dot = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
  await page.getByRole('textbox', { name: 'Document' }).fill(`<h1>x</h1><img src="${dot}">`);
  await showOptions(page);
  await chooseOption(page, 'Accessibility standard', 'Yes');
  const expectViolations = async () => {
    const alert = page.getByRole('alert').filter({ hasText: '3 violations:' });
    const listed = alert.locator('li:not(:has(li))');
    await expect(listed.filter({ hasText: /^Figure 1 on page 1: .*alt.* \(ISO 14289-1, 7\.3\)$/ })).toBeVisible();
    await expect(listed.filter({ hasText: /^Document: .*title.* \(ISO 14289-1, 7\.1\)$/ })).toBeVisible();
    await expect(listed.filter({ hasText: /^Document: .*language.* \(ISO 14289-1, 7\.2\)$/ })).toBeVisible();
    await expectAccessible(page);
  };
  await makePdf(page);
  await expectViolations();
  await expectFitsPhone(page);
  await page.getByRole('link', { name: 'Show the render' }).click();
  await expect(page.getByText('The render has failed: conformance_not_met')).toBeVisible();
  await expectViolations();
});

test('Watermark, page numbers, thumbnail, contents and encryption have all their options', async ({
  browser,
  dashboard,
}) => {
  const { id, client } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId: id, role: 'owner' }, '/playground');
  const group = (name: string) => page.getByRole('group', { name, exact: true });
  const choose = async (title: string, label: RegExp, name: string): Promise<void> => {
    await group(title).getByRole('button', { name: label }).click();
    await page.getByRole('option', { name, exact: true }).click();
  };
  const fill = (title: string, label: string, text: string) =>
    group(title).getByRole('textbox', { name: label, exact: true }).fill(text);
  await chooseOption(page, 'What to make', 'A PDF of several parts');
  await page.getByText('Table of contents').click();
  await page.getByLabel('Language of the contents').fill('de');
  await showOptions(page);
  await fill('PDF or images', 'Width of the thumbnail in pixels, 16 to 1024', '640');
  await expect(group('PDF or images').getByRole('button', { name: /Thumbnail/ })).toContainText('Yes');
  await fill('Watermark', 'Text on every page', 'true');
  await choose('Watermark', /Position/, 'top_left');
  await choose('Page numbers', /Begin again/, 'Yes');
  await fill('Page numbers', 'Distance from the edge in mm', '12');
  await fill('Page numbers', 'Size in points', '11');
  await fill('Page numbers', 'Colour', '#336699');
  const options = {
    watermark: { text: 'true', position: 'top_left' },
    page_numbers: { restart_by_part: true, margin: 12, font_size: 11, color: '#336699' },
    thumbnail: { width: 640 },
    contents: { language: 'de' },
  };
  const requestOf = async (): Promise<unknown> => {
    const requested = page.waitForRequest('**/api/v1/render');
    await makePdf(page);
    return (await requested).postDataJSON() as unknown;
  };
  expect(await requestOf()).toMatchObject(options);
  await expect(result(page).locator('canvas').first()).toBeVisible();
  const { body } = await client.request('GET', '/api/v1/renders');
  expect(body['renders']).toMatchObject([{ status: 'DONE' }]);
  const code = page.getByRole('region', { name: 'The same from a program' });
  const isTrue = { curl: 'true', 'Node.js': 'true', Python: 'True' };
  for (const [language, yes] of Object.entries(isTrue)) {
    await code.getByRole('tab', { name: language }).click();
    for (const text of ['"top_left"', `"restart_by_part": ${yes}`, '"#336699"', '"width": 640', '"language": "de"'])
      await expect(code).toContainText(text);
  }
  await choose('PDF or images', /Thumbnail/, 'Default (No)');
  await fill('Encryption', 'Password of the owner', 'orchid 4482');
  await choose('Encryption', /Encrypt the metadata/, 'No');
  expect(await requestOf()).toMatchObject({ encryption: { encrypt_metadata: false } });
  await expect(code).toContainText('"encrypt_metadata": False');
  await expect(code).not.toContainText('thumbnail');
});

test('A PDF with a password is shown, and no code or storage has the password', async ({ browser, dashboard }) => {
  const { id } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId: id, role: 'owner' }, '/playground');
  await showOptions(page);
  await page.getByLabel('Text on every page').fill('DRAFT');
  const password = page.getByLabel('Password to open the PDF');
  await expect(password).toHaveAttribute('type', 'password');
  await password.fill('open-sesame-7261');
  await makePdf(page);
  await expect(result(page).locator('canvas').first()).toBeVisible();
  const code = page.getByRole('region', { name: 'The same from a program' });
  await expect(code).toContainText('"user_password": "***"');
  await expect(code).not.toContainText('sesame');
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, location.href]));
  expect(stored).not.toContain('sesame');
});

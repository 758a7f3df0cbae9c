import { expect } from '@playwright/test';
import { expectAccessible, expectFitsPhone } from './support/accessibility.ts';
import { test } from './support/dashboard-service.ts';
import { chooseOption, chooseType, makePdf, result, sample } from './support/playground.ts';

test('A text becomes a PDF with its pages, size and time, and leads to its render', async ({ browser, dashboard }) => {
  const { id, client } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId: id, role: 'developer' }, '/playground');
  await expect(result(page).locator('pre')).toContainText('curl -sS --fail-with-body ');
  await makePdf(page);
  await expect(result(page).locator('canvas').first()).toBeVisible();
  await expect(result(page).locator('dl')).toContainText(/Pages\s*1\s*Size/);
  await expectAccessible(page);
  await page.getByRole('textbox', { name: 'Document' }).fill('<p>a <!-- never closed');
  await chooseType(page, 'HTML');
  await page.getByRole('textbox', { name: 'Document' }).press('Control+Enter');
  await expect(result(page).getByRole('alert')).toContainText('Line 1');
  await expectFitsPhone(page);
  await page.getByRole('link', { name: 'Show the render' }).click();
  await expect(page.getByText('invalid_html').first()).toBeVisible();
  const { body } = await client.request('GET', '/api/v1/renders');
  expect(body['renders']).toMatchObject([{ key_id: null }, { key_id: null }]);
  expect((await client.request('GET', '/api/v1/usage')).body).toMatchObject({ quota: { used: 0 } });
});

test('A narrow window scrolls to the result of each render and announces it', async ({ browser, dashboard }) => {
  const { id } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId: id, role: 'developer' }, '/playground');
  await page.setViewportSize({ width: 390, height: 844 });
  const document = page.getByRole('textbox', { name: 'Document' });
  const beginning = result(page).getByText('Pages', { exact: true });
  // Playwright would scroll to the button before a click.
  await document.press('Control+Enter');
  await expect(beginning).toBeInViewport({ ratio: 1 });
  await expect(result(page).getByText('The result is ready: 1 page.')).toHaveRole('status');
  await expect(document).toBeFocused();
  await chooseType(page, 'HTML');
  await document.fill('<p>a <!-- never closed');
  await document.press('Control+Enter');
  await expect(result(page).getByRole('alert')).toBeInViewport({ ratio: 1 });
});

test('The type of a file follows from its name, or else the page asks for it', async ({ browser, dashboard }) => {
  const { id } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId: id, role: 'owner' }, '/playground');
  const file = page.locator('input[type=file]').first();
  const removeFile = () => page.getByRole('button', { name: 'Remove the file' }).click();
  const expectPdfOf = async (name: string): Promise<void> => {
    await expect(page.getByText(name).first()).toBeVisible();
    await makePdf(page);
    await expect(result(page).locator('canvas').first()).toBeVisible();
    await removeFile();
  };
  for (const name of ['agreement.docx', 'orders.csv', 'catalogue.xml', 'order.json', 'invoice.html'])
    await test.step(name, async () => {
      await file.setInputFiles(sample(name));
      await expectPdfOf(name);
    });

  await test.step('a file that is pasted', async () => {
    await page.getByRole('textbox', { name: 'Document' }).evaluate((element) => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(['item,price\nPaper,4.20\n'], 'prices.csv', { type: 'text/csv' }));
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    await expectPdfOf('prices.csv');
  });

  await test.step('a file of an unknown type', async () => {
    await file.setInputFiles({ name: 'x.zzz', mimeType: 'text/plain', buffer: Buffer.from('# x') });
    await expect(page.getByText('The type of x.zzz is not known. Choose the input type above.')).toBeVisible();
    await removeFile();
    await expect(page.getByText('is not known')).toHaveCount(0);
  });
});

test('Parts become one PDF with a table of contents, in their order', async ({ browser, dashboard }) => {
  const { id, templates } = await dashboard.openAccount();
  await templates.create('<h1>Hello {{name}}</h1>', { name: 'Greeting', sample_data: { name: 'Ada' } });
  const page = await dashboard.openPage(browser, { accountId: id, role: 'developer' }, '/playground');
  const areLoaded = Promise.withResolvers<void>();
  await page.route('**/api/v1/templates?*', async (route) => {
    await areLoaded.promise;
    await route.continue();
  });
  await chooseOption(page, 'What to make', 'A PDF of several parts');
  const part = (number: number) => page.getByRole('group', { name: `Part ${number}`, exact: true });
  await part(2)
    .getByRole('button', { name: /Input type/ })
    .click();
  await page.getByRole('option', { name: 'Template', exact: true }).click();
  const template = part(2).getByRole('button', { name: /Choose a template/ });
  await expect(template).toBeDisabled();
  areLoaded.resolve();
  await template.click();
  await page.getByRole('option', { name: 'Greeting' }).click();
  await expect(part(2).getByRole('textbox', { name: 'Data of the template' })).toHaveValue(/"Ada"/);
  await page.getByRole('button', { name: 'Add a part' }).click();
  await part(3).getByRole('textbox', { name: 'Document' }).fill('# Appendix');
  await part(3).getByText('Begin on a right page').click();
  await part(3).getByRole('button', { name: 'Move part 3 up' }).click();
  await expect(part(2).getByRole('textbox', { name: 'Document' })).toHaveValue('# Appendix');
  await part(1).getByRole('button', { name: 'Remove part 1' }).click();
  await page.getByText('Table of contents').click();
  await page.getByRole('textbox', { name: 'Heading of the contents' }).fill('What is inside');
  await makePdf(page);
  await expect(result(page).locator('canvas').first()).toBeVisible();
  await expectAccessible(page);
  await expectFitsPhone(page);
  const code = page.getByRole('region', { name: 'The same from a program' });
  await expect(code).toContainText(/"mode": "COMPOSE"[^]*# Appendix[^]*"start_on": "right"[^]*"name": "Ada"/);
  await expect(code).toContainText('"title": "What is inside"');
  await part(2).getByRole('textbox', { name: 'Data of the template' }).fill('{}');
  await makePdf(page);
  await expect(result(page).getByRole('alert')).toContainText('name');
});

test('A viewer cannot make a PDF, by page or by request', async ({ browser, dashboard }) => {
  const { id } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId: id, role: 'viewer' }, '/playground');
  await expect(page.getByRole('button', { name: 'Make the PDF' })).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByText('Your role does not have the permission render:create.')).toBeVisible();
  const request = { mode: 'CONVERT', input_type: 'html', data: '<p>a' };
  expect(await dashboard.send(page, 'POST', '/render', request)).toBe(403);
});

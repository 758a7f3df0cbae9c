import { expect } from '@playwright/test';
import { expectAccessible, expectFitsPhone, expectNamesFitTablet } from './support/accessibility.ts';
import { test } from './support/dashboard-service.ts';
import { button, dialog, open, openWebhookDashboard, row, type WebhookDashboard } from './support/webhooks.ts';

let service: WebhookDashboard;
test.beforeAll(async ({ dashboard }) => {
  service = await openWebhookDashboard(dashboard);
});

test('An owner filters the list, reads the attempts of a callback, and sends it again', async ({ browser }) => {
  const account = await service.openAccount();
  let status = 410;
  const good = await service.receivers.openReceiver();
  const bad = await service.receivers.openReceiver(() => (_, response) => {
    response.writeHead(status, { 'x-answer': 'no' }).end('<b>gone</b>');
  });
  await account.callback(good);
  const job = await account.callback(bad);
  const page = await service.signedIn(browser, account);
  await open(page);
  const host = new URL(bad.url).host;
  await expect(page.getByText('2 rows')).toBeVisible();
  await expectNamesFitTablet(page, page.getByRole('table'));
  await page.getByRole('button', { name: /^Status/ }).click();
  await page.getByRole('option', { name: 'Failed' }).click();
  await expect(page.getByText('1 row ')).toBeVisible();
  await expect(page).toHaveURL(/status=failed/);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('searchbox').fill(host);
  await expect(page.getByText('1 row ')).toBeVisible();
  await page.getByRole('searchbox').fill('nowhere.example');
  await expect(page.getByText('No callback matches')).toBeVisible();
  await page.getByRole('searchbox').fill(bad.url);
  await expect(row(page, host)).toContainText('Status 410');

  await row(page, host).getByRole('link', { name: host }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(job);
  await expect(page.getByRole('alert')).toContainText('The receiver responded with status 410.');
  const attempts = page.getByRole('region', { name: 'Attempts' });
  await expect(attempts).toContainText(`POST ${bad.url}`);
  await expect(attempts).toContainText('x-service-signature: ***');
  await expect(attempts).toContainText('HTTP 410');
  await expect(attempts).toContainText('x-answer: no');
  await expect(attempts).toContainText('<b>gone</b>');
  await page.getByRole('region', { name: 'Body' }).getByRole('button', { name: 'Copy' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(bad.received[0]!.bytes.toString());

  status = 204;
  await button(page, 'Redeliver').click();
  await dialog(page).getByRole('button', { name: 'Redeliver' }).click();
  await expect(page.getByText('The callback is sent again')).toBeVisible();
  // Without a reload.
  await expect(page.getByText('Delivered')).toBeVisible();
  await expect(attempts.getByRole('heading', { name: 'Redelivery 1' })).toBeVisible();
  await expect(attempts).toContainText('HTTP 204');
  expect(bad.received).toHaveLength(2);
});

test('A callback whose secrets are erased is sent again with new ones', async ({ browser }) => {
  const account = await service.openAccount();
  let status = 410;
  const receiver = await service.receivers.openReceiver(() => status);
  const job = await account.callback(receiver, { webhook_headers: { 'X-Key': 'k9Q2z7X1' } });
  const page = await service.signedIn(browser, account);
  await open(page, `/${job}`);
  await expect(page.getByText('x-key: ***')).toBeVisible();
  await button(page, 'Redeliver').click();
  const headers = dialog(page).getByLabel('Headers');
  await headers.fill('no colon');
  await dialog(page).getByRole('button', { name: 'Redeliver' }).click();
  await expect(dialog(page).getByText('This line is not of the form Name: value: no colon')).toBeVisible();
  status = 200;
  await headers.fill('X-Key: p4M8w6Y3');
  await dialog(page).getByRole('button', { name: 'Redeliver' }).click();
  await expect(page.getByText('Delivered')).toBeVisible();
  expect(receiver.received.map(({ headers: received }) => received['x-key'])).toEqual(['k9Q2z7X1', 'p4M8w6Y3']);
});

test('All callbacks that failed since a time are sent again, after the dialog said how many', async ({ browser }) => {
  const account = await service.openAccount();
  let status = 410;
  const receiver = await service.receivers.openReceiver(() => status);
  for (const options of [{}, {}, { webhook_headers: { 'X-Key': 'k9Q2z7X1' } }])
    await account.callback(receiver, options);
  const page = await service.signedIn(browser, account);
  await open(page);
  await expect(page.getByText('3 rows')).toBeVisible();
  await button(page, 'Redeliver failed').click();
  await expect(dialog(page).getByRole('status')).toContainText(
    '2 callbacks are sent again. 1 more callback is left out',
  );
  await dialog(page).getByLabel('Receiver').fill('https://one.example/hook');
  await expect(dialog(page).getByRole('status')).toHaveText('No failed callback matches. ');
  await expect(dialog(page).getByRole('button', { name: 'Redeliver 0' })).toBeDisabled();
  await dialog(page).getByLabel('Receiver').fill(receiver.url);
  status = 200;
  await dialog(page).getByRole('button', { name: 'Redeliver 2' }).click();
  await expect(page.getByText('2 callbacks are sent again', { exact: true })).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: 'Delivered' })).toHaveCount(2);
  await expect(page.getByRole('row').filter({ hasText: 'Failed' })).toHaveCount(1);
  expect(receiver.received).toHaveLength(5);
});

test('A developer may do all of it; a viewer sees the callbacks and can change nothing', async ({ browser }) => {
  const account = await service.openAccount();
  const receiver = await service.receivers.openReceiver(() => 410);
  const job = await account.callback(receiver);
  for (const role of ['developer', 'viewer'] as const) {
    const page = await service.signedIn(browser, account, role);
    const isViewer = role === 'viewer';
    const expectBlocked = async (name: string, permission: string): Promise<void> => {
      const blocked = button(page, name);
      await expect(blocked).toBeVisible();
      if (!isViewer) return expect(blocked).not.toHaveAttribute('aria-disabled', 'true');
      await expect(blocked).toHaveAttribute('aria-disabled', 'true');
      await blocked.focus();
      await expect(page.getByRole('tooltip')).toHaveText(
        `Your role does not have the permission ${permission}. An owner can change your role.`,
      );
      await page.keyboard.press('Enter');
      await expect(dialog(page)).toHaveCount(0);
    };
    await open(page);
    await expect(row(page, 'Failed')).toHaveCount(1);
    await expectBlocked('Redeliver failed', 'render:create');
    await open(page, `/${job}`);
    await expect(page.getByText('HTTP 410').first()).toBeVisible();
    await expectBlocked('Redeliver', 'render:create');
    await page.getByRole('main').getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('tab', { name: 'Webhook secret' }).click();
    await expectBlocked('Show', 'webhook_secret:read');
    await expectBlocked('Rotate', 'webhook_secret:write');
    await page.getByRole('tab', { name: 'Test callback' }).click();
    await page.getByLabel('URL').fill(receiver.url);
    await expectBlocked('Send', 'render:create');
    const statusOf = async (method: string, path: string, data?: unknown): Promise<number> =>
      (
        await page.request.fetch(`${service.url}/api/v1/${path}`, {
          method,
          headers: { origin: service.url, 'x-colophon-account': account.id },
          ...(data === undefined ? {} : { data }),
        })
      ).status();
    const expected = isViewer ? 403 : 200;
    expect(await statusOf('GET', 'webhook-secret')).toBe(expected);
    expect(await statusOf('POST', 'webhook-secret/rotate')).toBe(expected);
    expect(await statusOf('POST', 'webhooks/test', { url: receiver.url })).toBe(expected);
    expect(await statusOf('POST', `jobs/${job}/redeliver`, {})).toBe(expected);
    expect(await statusOf('POST', 'deliveries/redeliver', { failed_since: '2026-01-01' })).toBe(expected);
  }
});

test('New callbacks appear without a reload; there are states for none, loading and errors', async ({ browser }) => {
  const account = await service.openAccount();
  const receiver = await service.receivers.openReceiver();
  const page = await service.signedIn(browser, account);
  await open(page);
  await expect(page.getByText('No callbacks yet')).toBeVisible();
  await expect(page.getByText(`curl -sS --fail-with-body ${service.url}/api/v1/render`)).toBeVisible();
  const job = await account.callback(receiver);
  await expect(row(page, 'Delivered')).toHaveCount(1);

  let isAnswered = Promise.withResolvers<void>();
  await page.route('**/api/v1/deliveries**', async (route) => {
    await isAnswered.promise;
    await route.fulfill({ status: 500, json: { error: 'internal_error', message: 'Our fault.', request_id: 'req_1' } });
  });
  // A new stream loads the list again by itself, before the button is pressed.
  await page.route('**/api/v1/events/live', (route) => route.abort());
  await open(page);
  await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible();
  isAnswered.resolve();
  await expect(page.getByRole('alert')).toContainText('Our fault.');
  await page.unroute('**/api/v1/deliveries**');
  await button(page, 'Try again').click();
  await expect(row(page, 'Delivered')).toHaveCount(1);

  const other = await service.openAccount();
  const otherJob = await other.callback(receiver);
  await open(page, `/${otherJob}`);
  await expect(page.getByRole('heading', { level: 1, name: 'There is no such callback' })).toBeVisible();
  isAnswered = Promise.withResolvers();
  await page.route('**/api/v1/deliveries/**', async (route) => {
    await isAnswered.promise;
    await route.continue();
  });
  await open(page, `/${job}`);
  await expect(page.getByRole('status', { name: 'Loading' }).first()).toBeVisible();
  isAnswered.resolve();
  await expect(page.getByRole('region', { name: 'Attempts' })).toContainText('HTTP 200');
});

test('Everything is reached by keyboard, violates no rule of WCAG 2.2 AA, and fits a phone', async ({ browser }) => {
  const account = await service.openAccount();
  const receiver = await service.receivers.openReceiver(() => 410);
  const job = await account.callback(receiver, { webhook_headers: { 'X-Key': 'k9Q2z7X1' } });
  const page = await service.signedIn(browser, account);
  const check = async (): Promise<void> => {
    await expectAccessible(page);
    await expectFitsPhone(page);
  };
  await open(page);
  await expect(row(page, 'Failed')).toHaveCount(1);
  await check();
  await row(page, 'Failed').getByRole('link').first().focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(job);
  await expect(page.getByText('HTTP 410').first()).toBeVisible();
  await check();
  const summary = page.locator('summary').first();
  await summary.focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('details[open]')).toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect(page.locator('details[open]')).toHaveCount(1);
  await button(page, 'Redeliver').focus();
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await expect(button(page, 'Redeliver')).toBeFocused();

  await open(page, '?tab=secret');
  await button(page, 'Show').click();
  await expect(page.getByText(/whsec_[A-Za-z0-9+/]{43}=/)).toBeVisible();
  await check();
  await button(page, 'Rotate').focus();
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Previous secret')).toBeVisible();

  await page.getByRole('tab', { name: 'Test callback' }).click();
  await page.getByLabel('URL').fill(receiver.url);
  await button(page, 'Send').click();
  await expect(page.getByText('Rejected')).toBeVisible();
  await check();
  const closed = new URL(receiver.url);
  closed.port = '9';
  await page.getByLabel('URL').fill(closed.href);
  await button(page, 'Send').click();
  await expect(page.locator('.badge').filter({ hasText: 'No connection' })).toBeVisible();
  await expect(page.getByText('Rejected')).toHaveCount(0);
});

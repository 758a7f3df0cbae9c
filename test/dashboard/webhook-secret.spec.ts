import { expect } from '@playwright/test';
import type { WebhookSecretResponse } from '#contracts/http/webhook.ts';
import { serviceSignature } from '../support/webhooks/signatures.ts';
import { test } from './support/dashboard-service.ts';
import { button, dialog, open, openWebhookDashboard, type WebhookDashboard } from './support/webhooks.ts';

let service: WebhookDashboard;
test.beforeAll(async ({ dashboard }) => {
  service = await openWebhookDashboard(dashboard);
});

test('The secret is shown on demand, copied, and rotated; the old one is shown until its end', async ({ browser }) => {
  const account = await service.openAccount();
  const receiver = await service.receivers.openReceiver();
  const page = await service.signedIn(browser, account);
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url() + (request.postData() ?? '')));
  const console: string[] = [];
  page.on('console', (message) => console.push(message.text()));
  await open(page, '?tab=secret');
  const card = page.getByRole('region', { name: 'Webhook secret' });
  await expect(card.getByRole('img', { name: 'The secret is hidden' })).toBeVisible();
  expect(requested.filter((url) => url.includes('webhook-secret'))).toEqual([]);
  await button(page, 'Show').click();
  await expect(card).toContainText(/whsec_[A-Za-z0-9+/]{43}=/);
  await card.getByRole('button', { name: 'Copy the secret' }).click();
  await expect(page.getByText('Copied')).toBeVisible();
  const first = await page.evaluate(() => navigator.clipboard.readText());
  await button(page, 'Hide').click();
  await expect(card).not.toContainText(first);

  await button(page, 'Rotate').click();
  await expect(dialog(page)).toContainText('The old one stays valid for 24 hours.');
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await button(page, 'Rotate').click();
  await dialog(page).getByRole('button', { name: 'Rotate the secret' }).click();
  await expect(card).toContainText('Previous secret · Valid until');
  await expect(card).toContainText(first);
  const { body } = await account.client.request('GET', '/api/v1/webhook-secret');
  const { secret: second, previous } = body as unknown as WebhookSecretResponse;
  expect(previous.map(({ secret }) => secret)).toEqual([first]);
  await expect(card).toContainText(second);

  await account.callback(receiver);
  const [callback] = receiver.received as [(typeof receiver.received)[0]];
  expect(callback.headers['x-service-signature']).toBe(serviceSignature(first, callback));
  expect(callback.headers['x-service-signature-all']).toBe(
    [second, first].map((secret) => serviceSignature(secret, callback)).join(' '),
  );

  const stored = await page.evaluate(async () => ({
    local: JSON.stringify(localStorage),
    session: JSON.stringify(sessionStorage),
    databases: await indexedDB.databases(),
    caches: await caches.keys().catch(() => []),
    history: JSON.stringify(history.state),
    cookie: document.cookie,
    url: location.href,
  }));
  expect(stored.databases).toEqual([]);
  expect(stored.caches).toEqual([]);
  const seen = JSON.stringify([stored, requested, console]);
  for (const secret of [first, second]) {
    expect(seen).not.toContain(secret.slice('whsec_'.length));
    expect(seen).not.toContain(encodeURIComponent(secret.slice('whsec_'.length)));
  }
  await page.reload();
  await expect(card.getByRole('img', { name: 'The secret is hidden' })).toBeVisible();
});

test('The code in six languages is chosen by keyboard and copied', async ({ browser }) => {
  const page = await service.signedIn(browser, await service.openAccount());
  await open(page, '?tab=secret');
  const region = page.getByRole('region', { name: 'Verify a callback' });
  await region.getByRole('tab', { name: 'curl' }).focus();
  for (const [language, line] of [
    ['Node.js', "from 'node:crypto'"],
    ['Python', 'import hmac'],
    ['PHP', 'hash_equals'],
    ['Go', 'hmac.Equal'],
    ['Java', 'javax.crypto.Mac'],
  ] as const) {
    await page.keyboard.press('ArrowRight');
    await expect(region.getByRole('tab', { name: language })).toBeFocused();
    await expect(region.getByRole('tabpanel')).toContainText(line);
    await region.getByRole('button', { name: 'Copy' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(line);
    await region.getByRole('tab', { name: language }).focus();
  }
});

test('A test callback shows what was sent and what came back', async ({ browser }) => {
  const account = await service.openAccount();
  const receiver = await service.receivers.openReceiver(() => 202);
  const page = await service.signedIn(browser, account);
  await open(page, '?tab=test');
  const address = page.getByLabel('URL');
  await address.fill('http://one.example/');
  await button(page, 'Send').click();
  await expect(page.getByText(/must be an absolute https:\/\/ URL/)).toBeVisible();
  await address.fill(receiver.url);
  await page.getByLabel('Headers').fill('X-Tenant: k9Q2z7X1');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const result = page.getByRole('region', { name: 'Result' });
  await expect(result).toContainText('Accepted');
  await expect(result).toContainText('x-tenant: ***');
  await expect(result).toContainText('HTTP 202');
  expect(receiver.received).toMatchObject([
    { method: 'POST', headers: { 'x-tenant': 'k9Q2z7X1' }, body: { test: true } },
  ]);
  await address.fill('https://127.0.0.2/');
  await button(page, 'Send').click();
  await expect(result).toContainText('Blocked');
  await expect(result).not.toContainText('Rejected');
});

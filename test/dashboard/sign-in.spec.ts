import { type BrowserContext, expect, type Page } from '@playwright/test';
import { expectAccessible, expectFitsPhone } from './support/accessibility.ts';
import { type DashboardService, test } from './support/dashboard-service.ts';

let service: DashboardService;
/** WebAuthn needs a host name. */
let url: string;
let accountId: string;
test.beforeAll(async ({ dashboard }) => {
  service = dashboard;
  url = dashboard.url.replace('127.0.0.1', 'localhost');
  accountId = (await dashboard.openAccount('Sign-in')).id;
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const link = async (email: string): Promise<string> =>
  `${url}/dashboard/sign-in#${await service.issueLink({ email, accountId, role: 'owner' })}`;
const expectOverview = (page: Page) => expect(page).toHaveURL(new RegExp(`^${url}/dashboard/?$`));

/** A passkey device without a person: it confirms at once. */
const addAuthenticator = async (context: BrowserContext, page: Page) => {
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const;
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', { options });
  return { session, authenticatorId };
};

test('A one-time link signs in once, leaves no trace in the browser, and offers a passkey', async ({ browser }) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const address = await link('once@example.com');
  const token = address.split('#')[1]!;
  await page.goto(address);
  await expect(page.getByRole('heading', { name: 'Sign in faster the next time' })).toBeVisible();
  await expectAccessible(page);
  await expectFitsPhone(page);
  expect(page.url()).toBe(`${url}/dashboard/sign-in`);
  await button(page, 'Not now').click();
  await expectOverview(page);
  const stored = await page.evaluate(() =>
    JSON.stringify([localStorage, sessionStorage, document.cookie, history.state]),
  );
  expect(stored).not.toContain(token.split('.')[1]);
  expect(requests.filter((one) => one.split('#')[0]!.includes(token.split('.')[1]!))).toEqual([]);
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({ name: 'colophon_session', httpOnly: true, sameSite: 'Strict', path: '/' });
  expect(stored).not.toContain(cookie!.value.split('.')[1]);

  const other = await (await browser.newContext()).newPage();
  await other.goto(address);
  await expect(other.getByRole('alert')).toContainText('This link has been used');
  await expectAccessible(other);
});

test('An expired link says so, and how to get a new one', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage();
  const issuedAt = new Date(Date.now() - 16 * 60_000);
  const token = await service.issueLink({ email: 'late@example.com', accountId, role: 'owner' }, issuedAt);
  await page.goto(`${url}/dashboard/sign-in#${token}`);
  await expect(page.getByRole('alert')).toContainText('This link has expired');
  await expect(page.locator('pre')).toContainText('colophon');
  await expectAccessible(page);
  // No session has started.
  await page.goto(`${url}/dashboard/keys`);
  await expect(page.getByRole('heading', { name: 'Sign in', exact: true })).toBeVisible();
  await page.context().close();
});

test('The page explains a wrong link, and takes a pasted one', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${url}/dashboard/sign-in#01JR04W1PD2M5S8V3Q6X9Z7TKF.${'A'.repeat(43)}`);
  await expect(page.getByRole('alert')).toContainText('There is no such link');
  await expect(page.getByText('on the machine of the service, with the same COLOPHON_DATA_DIR')).toBeVisible();
  await page.getByLabel('Link', { exact: true }).fill('https://example.com/');
  await button(page, 'Sign in with the link').click();
  await expect(page.getByText('This is not a sign-in link')).toBeVisible();
  await page.getByLabel('Link', { exact: true }).fill(await link('pasted@example.com'));
  await page.keyboard.press('Enter');
  await button(page, 'Not now').click();
  await expectOverview(page);
});

test('Someone who is not signed in comes back to the page that they asked for', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage();
  const asked = `${url}/dashboard/webhooks?receiver=*.example.com`;
  await page.goto(asked);
  await expect(page.getByRole('heading', { name: 'Sign in', exact: true })).toBeVisible();
  await expectAccessible(page);
  await expectFitsPhone(page);
  await page.getByLabel('Link', { exact: true }).fill(await link('next@example.com'));
  await button(page, 'Sign in with the link').click();
  await button(page, 'Not now').click();
  await expect(page).toHaveURL(asked);
});

test('A passkey that is added after the first sign-in signs in the next time', async ({ browser }) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const { session, authenticatorId } = await addAuthenticator(context, page);
  await page.goto(await link('passkey@example.com'));
  await button(page, 'Add a passkey').click();
  await expectOverview(page);
  const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
  expect(credentials).toHaveLength(1);

  const headers = { origin: url };
  expect((await context.request.delete(`${url}/api/v1/session`, { headers })).status()).toBe(204);
  await page.goto(`${url}/dashboard/sign-in`);
  const signIn = page.waitForRequest(`${url}/api/v1/session/passkey`);
  await button(page, 'Sign in with a passkey').click();
  await expectOverview(page);
  const { person, session: own } = await (await context.request.get(`${url}/api/v1/session`)).json();
  expect([person.email, own.method]).toEqual(['passkey@example.com', 'passkey']);

  // The answer of the device does not work again, with or without its challenge.
  const data = (await signIn).postDataJSON();
  const challenge = (await (await signIn).allHeaders())['cookie'] ?? '';
  for (const cookie of [challenge, '']) {
    const replay = await fetch(`${url}/api/v1/session/passkey`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json', cookie },
      body: JSON.stringify(data),
    });
    expect([replay.status, ((await replay.json()) as { error: string }).error]).toEqual([401, 'sign_in_failed']);
  }
});

test('The account page lists, renames and removes passkeys, and revokes sessions at once', async ({ browser }) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await addAuthenticator(context, page);
  const person = { email: 'account@example.com', accountId, role: 'owner' } as const;
  await page.goto(await link(person.email));
  await button(page, 'Not now').click();
  await expectOverview(page);
  await page.goto(`${url}/dashboard/account`);
  await expect(page.getByText('You have no passkey yet')).toBeVisible();

  await button(page, 'Add a passkey').click();
  await page.getByRole('alertdialog').getByLabel('Name').fill('Laptop');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Add a passkey' }).click();
  const row = (text: string) => page.getByRole('row').filter({ hasText: text });
  await expect(row('Laptop')).toBeVisible();
  await row('Laptop').getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('alertdialog').getByLabel('Name').fill('Work laptop');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Rename' }).click();
  await expect(row('Work laptop')).toBeVisible();
  await expectAccessible(page);
  await expectFitsPhone(page);
  await row('Work laptop').getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(page.getByText('You have no passkey yet')).toBeVisible();

  const other = await service.openPage(browser, person, '/keys');
  await expect(other.getByRole('heading', { name: 'API keys' })).toBeVisible();
  await page.reload();
  await row('Chrome').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true }).click();
  await expect(page.getByText('1 session was revoked.')).toBeVisible();
  expect(await service.send(other, 'GET', '/account')).toBe(401);
  await other.reload();
  await expect(other.getByRole('heading', { name: 'Sign in', exact: true })).toBeVisible();
  expect((await context.request.get(`${url}/api/v1/account`)).status()).toBe(200);
});

test('A post from a page of another origin fails, and the account of others gives 404', async ({ browser }) => {
  const page = await service.openPage(browser, { email: 'cross@example.com', accountId, role: 'owner' }, '/keys');
  await page.goto(`${service.url}/dashboard/keys`);
  const data = { mode: 'CONVERT', input_type: 'html', data: '<p>x</p>' };
  const send = async (headers: Record<string, string>) => {
    const response = await page.request.post(`${service.url}/api/v1/render`, { data, headers });
    return [response.status(), ((await response.json()) as { error?: string }).error];
  };
  expect(await send({ origin: 'https://evil.example' })).toEqual([403, 'cross_origin_request']);
  expect(await send({})).toEqual([403, 'cross_origin_request']);
  expect((await send({ origin: service.url }))[0]).toBe(200);
  const { id } = await service.openAccount('Others');
  const foreign = await page.request.get(`${service.url}/api/v1/account`, { headers: { 'x-colophon-account': id } });
  expect(foreign.status()).toBe(404);
});

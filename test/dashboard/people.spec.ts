import { expect, type Page } from '@playwright/test';
import { expectAccessible, expectFitsPhone } from './support/accessibility.ts';
import { type DashboardService, test } from './support/dashboard-service.ts';
import { failure } from './support/failure.ts';

let service: DashboardService;
test.beforeAll(({ dashboard }) => void (service = dashboard));

let accountId: string;
let accounts = 0;
test.beforeEach(async () => {
  accounts += 1;
  accountId = (await service.openAccount(`Mill ${accounts}`)).id;
});

const ada = (): { email: string; accountId: string; role: 'owner' } => ({
  email: `ada-${accounts}@example.com`,
  accountId,
  role: 'owner',
});
const open = (page: Page, path = '/people'): Promise<unknown> => page.goto(`${service.url}/dashboard${path}`);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const choose = async (page: Page, email: string, action: string): Promise<void> => {
  await button(page, `Actions for ${email}`).click();
  await page.getByRole('menuitem', { name: action }).click();
};
const invite = async (page: Page, email: string): Promise<string> => {
  await button(page, 'Invite someone').click();
  await page.getByLabel('Email').fill(email);
  await button(page, 'Create the link').click();
  await expect(page.getByRole('alertdialog', { name: 'Pass on this link' })).toBeVisible();
  const link = await page.getByRole('alertdialog').locator('pre').textContent();
  await button(page, 'Done').click();
  // Passkeys need a host name.
  expect(new URL(link!).hostname).toBe('localhost');
  // The tests listen on any free port, which the service does not know when it starts.
  return service.url + link!.slice(new URL(link!).origin.length);
};

test('An owner invites someone with a link that is shown once, and the guest accepts it', async ({ browser }) => {
  const page = await service.openPage(browser, ada());
  await open(page);
  await expect(page.getByText('No open invitations')).toBeVisible();
  const link = await invite(page, 'ben@example.com');
  await expect(row(page, 'ben@example.com')).toContainText('Open');
  await expect(page.locator('body')).not.toContainText(link.split('#')[1]!);
  await expectFitsPhone(page);
  const size = page.viewportSize()!;
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(row(page, 'ben@example.com')).toContainText(/Open.*Developer/);
  await page.setViewportSize(size);

  const guest = await (await browser.newContext()).newPage();
  await guest.goto(link);
  await expect(guest.getByText(`You are invited to the account Mill ${accounts} as Developer.`)).toBeVisible();
  expect(guest.url()).not.toContain('#');
  // With the identity provider, a guest who is not signed in would be another person the next day.
  await expect(guest.getByText('do that first, and then open this link again')).toBeVisible();
  await expect(guest.getByRole('link', { name: 'Sign in first' })).toHaveAttribute('href', '/dashboard/sign-in');
  await expectAccessible(guest);
  await button(guest, 'Accept the invitation').click();
  await expect(guest.getByRole('navigation', { name: 'Main' })).toBeVisible();
  const stored = await guest.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(stored).not.toContain(link.split('.').at(-1)!);

  await page.reload();
  await expect(row(page, 'ben@example.com')).toContainText('Invitation');
  const late = await (await browser.newContext()).newPage();
  await late.goto(link);
  await expect(late.getByText('There is no such invitation, or it was accepted or withdrawn.')).toBeVisible();
});

test('An invitation for another email is explained, and accepted after signing out', async ({ browser }) => {
  const owner = await service.openPage(browser, ada());
  await open(owner);
  const link = await invite(owner, 'cleo@example.com');
  const { id: other } = await service.openAccount('Elsewhere');
  const guest = await service.openPage(browser, { email: 'dora@example.com', accountId: other, role: 'owner' });
  await guest.goto(link);
  await expect(guest.getByText(/is for cleo@example.com, and you are signed in as dora@example.com/)).toBeVisible();
  await button(guest, 'Sign out and continue').click();
  await button(guest, 'Accept the invitation').click();
  await expect(guest.getByRole('navigation', { name: 'Main' })).toBeVisible();
});

test('An owner withdraws an invitation, and sees what is wrong with an email', async ({ browser }) => {
  const page = await service.openPage(browser, ada());
  await open(page);
  await button(page, 'Invite someone').click();
  await page.getByLabel('Email').fill(ada().email);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toContainText('is a member of the account already');
  await page.keyboard.press('Escape');
  const link = await invite(page, 'finn@example.com');
  await button(page, 'Withdraw finn@example.com').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click();
  await expect(page.getByText('No open invitations')).toBeVisible();
  const guest = await (await browser.newContext()).newPage();
  await guest.goto(link);
  await expect(guest.getByRole('alert')).toContainText('There is no such invitation');
});

test('An owner changes a role and removes a member, whose next request fails', async ({ browser }) => {
  const page = await service.openPage(browser, ada());
  const member = await service.openPage(browser, { email: 'gus@example.com', accountId, role: 'viewer' });
  await open(member, '/renders');
  await open(page);
  await choose(page, 'gus@example.com', 'Change the role');
  await page.getByRole('button', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Developer' }).click();
  await button(page, 'Save').click();
  await expect(row(page, 'gus@example.com')).toContainText('Developer');
  expect(await service.send(member, 'POST', '/keys', { name: 'x', type: 'test' })).toBe(201);
  await choose(page, 'gus@example.com', 'Remove from the account');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove from the account' }).click();
  await expect(row(page, 'gus@example.com')).toHaveCount(0);
  expect(await service.send(member, 'GET', '/renders')).toBe(404);
  await open(member, '/renders');
  await expect(member.getByRole('heading', { name: 'No account' })).toBeVisible();
});

test('The last owner can neither leave nor get another role; others leave', async ({ browser }) => {
  const page = await service.openPage(browser, ada());
  await open(page);
  await choose(page, ada().email, 'Change the role');
  await page.getByRole('button', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Viewer' }).click();
  await button(page, 'Save').click();
  await expect(page.getByRole('dialog')).toContainText('An account keeps at least one owner');
  await page.keyboard.press('Escape');
  await choose(page, ada().email, 'Leave the account');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Leave the account' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('An account keeps at least one owner');
  const { id: second } = await service.openAccount('Second');
  const guest = { email: 'hal@example.com', role: 'viewer' as const };
  const context = await browser.newContext();
  await service.signIn(context, { ...guest, accountId: second });
  await service.signIn(context, { ...guest, accountId });
  const viewer = await context.newPage();
  await open(viewer);
  await viewer.getByRole('button', { name: /^Switch account/ }).click();
  await viewer.getByRole('menuitemradio', { name: /^Mill/ }).click();
  await expect(viewer.getByRole('button', { name: new RegExp(`^Switch account: Mill ${accounts}`) })).toBeVisible();
  await expect(row(viewer, ada().email)).toBeVisible();
  await choose(viewer, 'hal@example.com', 'Leave the account');
  await viewer.getByRole('alertdialog').getByRole('button', { name: 'Leave the account' }).click();
  await expect(viewer.getByRole('button', { name: /^Switch account: Second/ })).toBeVisible();
});

for (const role of ['developer', 'viewer'] as const)
  test(`A ${role} sees the people and changes nothing, by page or by request`, async ({ browser }) => {
    await service.openPage(browser, ada());
    const page = await service.openPage(browser, { email: `${role}@example.com`, accountId, role });
    await open(page);
    await expect(row(page, ada().email)).toBeVisible();
    await expect(button(page, `Actions for ${ada().email}`)).toHaveCount(0);
    await expect(button(page, 'Invite someone')).toHaveAttribute('aria-disabled', 'true');
    const { members } = (await (await page.request.get(`${service.url}/api/v1/members`)).json()) as {
      members: { id: string }[];
    };
    const member = `/members/${members[0]!.id}`;
    expect(await service.send(page, 'POST', '/invitations', { email: 'x@example.com', role: 'viewer' })).toBe(403);
    expect(await service.send(page, 'PUT', member, { role: 'viewer' })).toBe(403);
    expect(await service.send(page, 'DELETE', member)).toBe(403);
  });

test('The page is accessible, works by keyboard, and has a state for errors', async ({ browser }) => {
  const page = await service.openPage(browser, ada());
  await open(page);
  await expect(row(page, ada().email)).toBeVisible();
  await expectAccessible(page);
  await button(page, 'Invite someone').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Email')).toBeFocused();
  await page.keyboard.type('ivy@example.com');
  await page.keyboard.press('Enter');
  await expect(button(page, 'Done')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.route('**/api/v1/members*', (route) => route.fulfill(failure));
  await page.reload();
  await expect(page.getByRole('alert')).toContainText('The service failed.');
  await page.unroute('**/api/v1/members*');
  await button(page, 'Try again').click();
  await expect(row(page, ada().email).first()).toBeVisible();
});

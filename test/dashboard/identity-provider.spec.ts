import { expect, test } from '@playwright/test';
import { freePort } from '../support/network/free-port.ts';
import { client, startIdentityProvider } from '../support/people/identity-provider.ts';
import { openAccount } from '../support/service/accounts.ts';
import { openTestInstallation } from '../support/service/installation.ts';
import { startDashboardOf } from './support/dashboard-service.ts';

test('A person signs in with the identity provider, has the role of the group, and comes back to the page', async ({
  browser,
}) => {
  const provider = await startIdentityProvider();
  const port = await freePort();
  // Another host than that of the provider, as in real life: the browser leaves the site and comes back to it.
  const url = `http://localhost:${port}`;
  const folder = await openTestInstallation();
  const accountId = await openAccount(folder, '--name', 'Mill');
  const installation = await openTestInstallation({
    // The setting names the account, which therefore comes first.
    COLOPHON_DATA_DIR: folder.env.COLOPHON_DATA_DIR!,
    PORT: String(port),
    BASE_URL: url,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: client.id,
    OIDC_CLIENT_SECRET: client.secret,
    OIDC_ROLES: `staff=${accountId}:viewer`,
    COLOPHON_EGRESS_ALLOW: '127.0.0.1',
  });
  const dashboard = await startDashboardOf(installation);
  const page = await (await browser.newContext()).newPage();
  try {
    provider.person.claims = { email: 'grace@example.com', email_verified: true, groups: ['staff'] };
    await page.goto(`${url}/dashboard/renders?status=FAILED`);
    await page.getByRole('link', { name: 'Sign in with the identity provider' }).click();
    await expect(page).toHaveURL(({ origin }) => origin === provider.issuer);
    await page.getByRole('link', { name: 'Continue' }).click();
    await expect(page).toHaveURL(`${url}/dashboard/renders?status=FAILED`);
    await expect(page.getByRole('heading', { level: 1, name: 'Renders' })).toBeVisible();
    await expect(page.getByRole('button', { name: /^Switch account/ })).toContainText('MillViewer');
    await page.goto(`${url}/dashboard/account`);
    await expect(page.getByRole('row').filter({ hasText: 'This session' })).toContainText('Identity provider');

    // The person has left the group, and refuses the next sign-in.
    await page.request.delete(`${url}/api/v1/session`, { headers: { origin: url } });
    provider.fault.sign = 'other key';
    await page.goto(`${url}/dashboard/keys`);
    await page.getByRole('link', { name: 'Sign in with the identity provider' }).click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await expect(page.getByRole('alert')).toContainText('identity provider');
    await expect(page).toHaveURL(/\/dashboard\/sign-in\?oidc_failed=1&next=/);
    delete provider.fault.sign;
    provider.person.claims = { ...provider.person.claims, groups: [] };
    await page.getByRole('link', { name: 'Sign in with the identity provider' }).click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'No account' })).toBeVisible();
  } finally {
    await page.context().close();
    await dashboard.close();
    await folder.remove();
    await provider.close();
  }
});

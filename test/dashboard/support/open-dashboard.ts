import type { Browser, BrowserContext } from '@playwright/test';
import type { Role } from '#contracts/roles.ts';
import { issueKey, openAccount } from '../../support/service/accounts.ts';
import type { EnvironmentVariables } from '../../support/service/colophon-process.ts';
import { startDashboardService } from './dashboard-service.ts';

/** A service with an account and a key that has every permission. `signIn` opens a browser for a person of the account. */
export const openDashboard = async (settings: EnvironmentVariables = {}) => {
  const dashboard = await startDashboardService(settings);
  const account = await openAccount(dashboard.installation, '--requests-per-minute', '100000');
  const key = await issueKey(dashboard.installation, account, '--name', 'first key');
  return {
    ...dashboard,
    account,
    key,
    /** A signed-in browser. Requests of the context are those of the person. */
    signIn: async (browser: Browser, role: Role, accountId = account): Promise<BrowserContext> => {
      const context = await browser.newContext({ baseURL: dashboard.url, viewport: { width: 1440, height: 900 } });
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      // The pages show the first account of a person.
      const name = accountId === account ? role : `${role}.${accountId.toLowerCase()}`;
      await dashboard.signIn(context, { accountId, role, email: `${name}@example.com` });
      return context;
    },
  };
};

export type Dashboard = Awaited<ReturnType<typeof openDashboard>>;

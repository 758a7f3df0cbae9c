import type { Browser, BrowserContext } from '@playwright/test';
import type { Role } from '#contracts/roles.ts';
import { issueKey, openAccount } from '../../support/service/accounts.ts';
import type { DashboardService } from './dashboard-service.ts';

/** An account of a service with a key that has every permission. `signIn` opens a browser for a person of the account. */
export const openDashboardOn = async (dashboard: DashboardService) => {
  const account = await openAccount(dashboard.installation, '--requests-per-minute', '100000');
  const key = await issueKey(dashboard.installation, account, '--name', 'first key');
  /** Another person for each account, because the pages show the first account of a person. */
  const emailOf = (role: Role, accountId = account): string =>
    `${role}.${accountId.slice(-6).toLowerCase()}@example.com`;
  return {
    ...dashboard,
    account,
    key,
    emailOf,
    /** A signed-in browser. Requests of the context are those of the person. */
    signIn: async (browser: Browser, role: Role, accountId = account): Promise<BrowserContext> => {
      const context = await browser.newContext({ baseURL: dashboard.url, viewport: { width: 1440, height: 900 } });
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await dashboard.signIn(context, { accountId, role, email: emailOf(role, accountId) });
      return context;
    },
  };
};

export type Dashboard = Awaited<ReturnType<typeof openDashboardOn>>;

import { type Browser, type BrowserContext, expect, type Page, test as base } from '@playwright/test';
import { issueSignInLink } from '#application/people/sign-in-links.ts';
import { bareId } from '#contracts/names.ts';
import type { Role } from '#contracts/roles.ts';
import { openEngines } from '#libs/engines/engine-factory.ts';
import { createClient } from '../../support/client/api-client.ts';
import { createTemplateClient } from '../../support/client/template-client.ts';
import { issueKey, openAccount } from '../../support/service/accounts.ts';
import type { EnvironmentVariables } from '../../support/service/colophon-process.ts';
import { openTestInstallation, type TestInstallation } from '../../support/service/installation.ts';
import { withInstallationEngines } from '../../support/service/with-engines.ts';
import { openWebhookReceivers, type WebhookReceivers } from '../../support/webhooks/receivers.ts';

const actor = { kind: 'person', name: 'tests' } as const;

/** Whom to sign in. `accountId` is acc_<id>; without an email, the person is the only one with this role in it. */
type Person = { accountId?: string; role?: Role; operator?: boolean; email?: string };

const emailOf = ({ email, role, accountId }: Person): string =>
  email ?? `${role ?? 'person'}.${accountId ?? 'none'}@example.com`.toLowerCase();

/** Starts the service of an installation, for the people who use its dashboard. */
export const startDashboardOf = async (started: TestInstallation) => {
  const service = await started.start();
  const installation: TestInstallation = { ...started, engines: await openEngines(started.settings) };
  const { url } = service;

  /** The token of a one-time link, which was issued at this time. */
  const issueLink = (person: Person, issuedAt = new Date()): Promise<string> => {
    const request = {
      identity: { kind: 'email', email: emailOf(person) },
      accountId: person.accountId === undefined ? null : bareId('acc', person.accountId)!,
      role: person.role ?? null,
      operator: person.operator ?? false,
    } as const;
    return withInstallationEngines(
      installation,
      async ({ store }) => (await issueSignInLink({ store, now: () => issuedAt }, actor, request)).token,
    );
  };

  const signIn = async (context: BrowserContext, person: Person): Promise<void> => {
    const data = { token: await issueLink(person) };
    const response = await context.request.post(`${url}/api/v1/session`, { data, headers: { origin: url } });
    expect(response.status(), await response.text()).toBe(201);
  };

  return {
    installation,
    service,
    url,
    /** An account of its own, with a client of the API that may do everything. */
    openAccount: async (name = 'Mill', keyName?: string) => {
      const id = await openAccount(installation, '--name', name, '--requests-per-minute', '100000');
      const { key } = await issueKey(installation, id, ...(keyName === undefined ? [] : ['--name', keyName]));
      const client = createClient(url, key);
      return { id, key, client, templates: createTemplateClient(client) };
    },
    issueLink,
    signIn,
    /** A page in a browser of its own. `path` is below /dashboard. */
    openPage: async (browser: Browser, person: Person, path?: string): Promise<Page> => {
      const context = await browser.newContext({ baseURL: url });
      await signIn(context, person);
      const page = await context.newPage();
      if (path !== undefined) await page.goto(`/dashboard${path}`);
      return page;
    },
    /** A page of the templates for a person with this role. `path` begins with a slash or a question mark. */
    openTemplates: async (context: BrowserContext, { id }: { id: string }, role: Role, path = ''): Promise<Page> => {
      await signIn(context, { accountId: id, role });
      const page = await context.newPage();
      await page.goto(`${url}/dashboard/templates${path}`);
      return page;
    },
    /** The status of a request of the person whose page this is. `path` is below /api/v1. */
    send: async (page: Page, method: string, path: string, data?: unknown): Promise<number> => {
      const options = { method, headers: { origin: url }, ...(data === undefined ? {} : { data }) };
      return (await page.request.fetch(`${url}/api/v1${path}`, options)).status();
    },
    close: async (): Promise<void> => {
      await installation.engines?.close();
      await service.stop('SIGTERM');
      await installation.remove();
    },
  };
};

/** A service in a folder of its own. */
export const startDashboardService = async (settings: EnvironmentVariables = {}) =>
  startDashboardOf(await openTestInstallation(settings));

export type DashboardService = Awaited<ReturnType<typeof startDashboardService>>;

/** The service may call back receivers of the tests, and names two more addresses that it may call. */
export type SharedDashboard = DashboardService & { receivers: WebhookReceivers };

const openSharedDashboard = async (): Promise<SharedDashboard> => {
  const receivers = await openWebhookReceivers();
  const { COLOPHON_EGRESS_ALLOW, ...settings } = receivers.settings;
  const allowed = `intranet.example,10.0.0.0/8,${COLOPHON_EGRESS_ALLOW}`;
  const dashboard = await startDashboardService({ ...settings, COLOPHON_EGRESS_ALLOW: allowed });
  const close = async (): Promise<void> => {
    await dashboard.close();
    await receivers.close();
  };
  return { ...dashboard, receivers, close };
};

/** One service for all tests of a worker process. The browsers that a test opens are closed after it. */
export const test = base.extend<{ closedBrowsers: void }, { dashboard: SharedDashboard }>({
  closedBrowsers: [
    async ({ browser }, use) => {
      const before = new Set(browser.contexts());
      await use();
      // Left open, their pages would follow the service until the end, and slow down all other tests.
      const opened = browser.contexts().filter((context) => !before.has(context));
      await Promise.all(opened.map((context) => context.close()));
    },
    { auto: true },
  ],
  dashboard: [
    // Playwright reads the names of fixtures from an object pattern.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const dashboard = await openSharedDashboard();
      await use(dashboard);
      await dashboard.close();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
});

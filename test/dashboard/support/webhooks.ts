import type { Browser, Page } from '@playwright/test';
import { createClient } from '../../support/client/api-client.ts';
import { createJobClient } from '../../support/client/job-client.ts';
import { issueKey, openAccount as openAccountOn } from '../../support/service/accounts.ts';
import type { WebhookReceiver } from '../../support/webhooks/receivers.ts';
import type { SharedDashboard } from './dashboard-service.ts';
import { openDashboardOn } from './open-dashboard.ts';

/** Accounts of the service, whose jobs may call back receivers of the tests. */
export const openWebhookDashboard = async (service: SharedDashboard) => {
  const dashboard = await openDashboardOn(service);
  const openAccount = async () => {
    const id = await openAccountOn(dashboard.installation);
    const client = createClient(dashboard.url, (await issueKey(dashboard.installation, id)).key);
    const jobs = createJobClient(client);
    return {
      id,
      client,
      /** A callback that has ended. */
      callback: async (receiver: WebhookReceiver, options: Record<string, unknown> = {}): Promise<string> => {
        const { job_id } = await jobs.submit({ webhook_url: receiver.url, ...options });
        await jobs.waitUntilJob(job_id, 'has ended', ({ webhook_status: status }) =>
          ['delivered', 'failed'].includes(status!),
        );
        return job_id;
      },
    };
  };
  return {
    receivers: service.receivers,
    url: dashboard.url,
    openAccount,
    signedIn: async (browser: Browser, { id }: { id: string }, role: 'owner' | 'developer' | 'viewer' = 'owner') =>
      (await dashboard.signIn(browser, role, id)).newPage(),
  };
};
export type WebhookDashboard = Awaited<ReturnType<typeof openWebhookDashboard>>;

export const open = (page: Page, path = ''): Promise<unknown> => page.goto(`/dashboard/webhooks${path}`);
export const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text });
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
/** A toast has the role of a dialog, too. */
export const dialog = (page: Page) => page.locator('.dialog');

import {
  type AccountResponse,
  accountResponse,
  type AccountEventsResponse,
  accountEventsResponse,
  accountEventsQuery,
} from '#contracts/http/account.ts';
import { accountIdOf, subjectIdOf } from '#contracts/names.ts';
import { limitsView } from '#application/accounts/queries.ts';
import { findAccountHistory } from '#application/audit/account-history.ts';
import { waitForAudit } from '#application/audit/find-events.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { eventView } from '#application/audit/event-view.ts';
import { nameSchema, route, type Route, ok } from '../server/route.ts';

const historyEventView = (event: RecordedEvent): AccountEventsResponse['events'][number] => {
  const { revision: _, ...view } = eventView(event);
  return { ...view, subject: subjectIdOf(event.stream)! };
};

/** The account with its limits, and its history. */
export const accountRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/account',
    operationId: 'getAccount',
    tag: 'Account',
    summary: 'Read the account',
    description: 'Returns the plan of the account and every limit that applies to it.',
    permission: 'usage:read',
    responses: [ok('The account.', nameSchema('Account', accountResponse))],
    handle: async ({ account, limits }): Promise<AccountResponse> => ({
      id: accountIdOf(account.id),
      name: account.name,
      plan: account.plan,
      state: account.suspension ? 'suspended' : 'active',
      opened_at: account.openedAt,
      limits: limitsView(limits),
    }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/account/events',
    operationId: 'listAccountEvents',
    tag: 'Account',
    summary: "Read the account's history",
    description: 'Lists the changes of the account and its keys, newest first. The history contains no secrets.',
    permission: 'usage:read',
    request: { query: accountEventsQuery },
    responses: [ok('One page of events.', nameSchema('AccountHistory', accountEventsResponse))],
    handle: async ({ account, query: { page, limit } }, dependencies) => {
      await waitForAudit(dependencies);
      const found = await findAccountHistory(dependencies, account.id, { skip: (page - 1) * limit, limit });
      const { total } = found;
      const shown = found.events.map(historyEventView);
      const pages = Math.ceil(total / limit);
      return { account_id: accountIdOf(account.id), events: shown, total, page, limit, pages };
    },
  }),
];

import type { FastifyInstance } from 'fastify';
import { type AccountAnswer, type AccountEventsAnswer, accountEventsQuery } from '#contracts/http/account.ts';
import { accountIdOf } from '#contracts/names.ts';
import { limitsView } from '#application/accounts/queries.ts';
import { accountHistory, type AccountHistoryDocument } from '#libs/projections/account-history.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { historyEventView } from './history-view.ts';
import { requirePermission } from '../server/authenticate.ts';
import { callerOf } from '../server/caller.ts';
import { queryOf } from '../server/query.ts';
import { planLimits } from '../server/rate-limit.ts';
import { validated } from '../server/validate.ts';

const accountView = (account: AccountDocument): AccountAnswer => ({
  id: accountIdOf(account.id),
  name: account.name,
  plan: account.plan,
  state: account.suspension ? 'suspended' : 'active',
  opened_at: account.openedAt,
  limits: limitsView(planLimits(account)),
});

/** GET /account and GET /account/events: what the account may do, and what was done to it and its keys. */
export const registerAccountRoutes = (app: FastifyInstance, { reads }: { reads: ReadStore }): void => {
  app.get('/api/v1/account', async (request): Promise<AccountAnswer> => {
    const caller = callerOf(request);
    requirePermission(caller, 'usage:read');
    return accountView(caller.account);
  });

  app.get('/api/v1/account/events', async (request): Promise<AccountEventsAnswer> => {
    const caller = callerOf(request);
    const { page, limit } = validated(accountEventsQuery, queryOf(request));
    requirePermission(caller, 'usage:read');
    const where = { accountId: caller.account.id };
    const [total, events] = await Promise.all([
      reads.count(accountHistory.name, where),
      reads.find(accountHistory.name, { where, sort: { by: 'position', descending: true }, limit, skip: (page - 1) * limit }),
    ]);
    return { account_id: accountIdOf(caller.account.id), events: (events as AccountHistoryDocument[]).map(historyEventView), total, page, limit, pages: Math.ceil(total / limit) };
  });
};

import {
  type AccountResponse,
  accountResponse,
  type AccountEventsResponse,
  accountEventsResponse,
  accountEventsQuery,
  type accountHistoryData,
} from '#contracts/http/account.ts';
import { accountIdOf, idOfStream, apiKeyIdOf, streams } from '#contracts/names.ts';
import { limitsView } from '#application/accounts/queries.ts';
import { accountHistory, type AccountHistoryDocument } from '#libs/projections/account-history.ts';
import { actorView, traceIdView } from '../server/event-view.ts';
import { nameSchema, route, type Route } from '../server/route.ts';

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const inSnakeCase = (data: unknown): Record<string, unknown> => {
  const entryOf = ([name, value]: [string, unknown]) => [
    snakeCase(name),
    name === 'overrides' ? inSnakeCase(value) : value,
  ];
  return Object.fromEntries(Object.entries(data as object).map(entryOf));
};

const accountPrefix = streams.account('');
const subjectOf = (stream: string): string =>
  stream.startsWith(accountPrefix) ? accountIdOf(idOfStream(stream)) : apiKeyIdOf(idOfStream(stream));

type HistoryEvent = AccountEventsResponse['events'][number];

const historyEventView = ({ id, type, stream, metadata, data }: AccountHistoryDocument): HistoryEvent => ({
  id,
  type: type as keyof typeof accountHistoryData,
  subject: subjectOf(stream),
  time: metadata.occurredAt,
  actor: actorView(metadata),
  request_id: metadata.correlationId,
  trace_id: traceIdView(metadata),
  data: inSnakeCase(data),
});

/** The account with its limits, and its history. */
export const accountRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/account',
    tag: 'Account',
    summary: 'Read the account',
    description: 'Returns the plan of the account and every limit that applies to it.',
    permission: 'usage:read',
    responses: [{ status: 200, description: 'The account.', schema: nameSchema('Account', accountResponse) }],
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
    tag: 'Account',
    summary: "Read the account's history",
    description: 'Lists the changes of the account and its keys, newest first. The history contains no secrets.',
    permission: 'usage:read',
    request: { query: accountEventsQuery },
    responses: [
      { status: 200, description: 'One page of events.', schema: nameSchema('AccountHistory', accountEventsResponse) },
    ],
    handle: async ({ account, query: { page, limit } }, { reads }) => {
      const where = { accountId: account.id };
      const sort = { by: 'position', descending: true };
      const [total, events] = await Promise.all([
        reads.count(accountHistory.name, where),
        reads.find(accountHistory.name, { where, sort, limit, skip: (page - 1) * limit }),
      ]);
      const shown = (events as AccountHistoryDocument[]).map(historyEventView);
      const pages = Math.ceil(total / limit);
      return { account_id: accountIdOf(account.id), events: shown, total, page, limit, pages };
    },
  }),
];

import { z } from 'zod';
import { ApiError } from '#contracts/http/api-error.ts';
import {
  accountListResponse,
  changePlanRequest,
  listAccountsQuery,
  openAccountRequest,
  operatorAccountResponse,
  type OperatorAccountResponse,
  ownerLinkRequest,
  ownerLinkResponse,
  planListResponse,
  reinstateAccountRequest,
  suspendAccountRequest,
} from '#contracts/http/operator.ts';
import { accountIdOf, bareId, readModels } from '#contracts/names.ts';
import { planNames, plans } from '#contracts/plans.ts';
import { type AccountChange, changeAccount, openAccountAs } from '#application/accounts/commands.ts';
import { findAccount, findAccountPage, limitsView } from '#application/accounts/queries.ts';
import { normaliseEmail } from '#application/people/identity.ts';
import { issueSignInLink, signInUrl } from '#application/people/sign-in-links.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import { waitUntilCallersSee } from '../server/changed-callers.ts';
import type { SessionContext } from '../server/context.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { nameSchema, type Route, sessionRoute, created, ok } from '../server/route.ts';
import { operatorAccountViews, overridesOf } from './account-view.ts';

const tag = 'Operation';
const session = 'operator';
const params = z.object({ account_id: z.string().describe('acc_<id>') });
const accountSchema = nameSchema('OperatorAccount', operatorAccountResponse);
const accountPath = '/api/v1/operator/accounts/{account_id}';

/** @throws ApiError account_not_found */
const requireAccount = async ({ reads }: Pick<Dependencies, 'reads'>, prefixed: string): Promise<AccountDocument> => {
  const account = await findAccount(reads, prefixed);
  if (!account) throw ApiError.of('account_not_found', 'There is no account with this id.');
  return account;
};

const viewOf = async ({ reads, eventLog }: Dependencies, id: string): Promise<OperatorAccountResponse> => {
  const account = await requireAccount({ reads }, accountIdOf(id));
  return (await operatorAccountViews(reads, [account], eventLog.now()))[0]!;
};

/** Changes an account as the command line does, and resolves when every process applies the change. */
const change = async (
  { params: { account_id }, cause }: SessionContext<unknown, unknown, { account_id: string }>,
  dependencies: Dependencies,
  command: AccountChange,
): Promise<OperatorAccountResponse> => {
  const { id } = await requireAccount(dependencies, account_id);
  const ownCause = { ...cause, accountId: id };
  const { position } = await changeAccount(dependencies.eventLog, id, command, ownCause);
  if (position !== null) await waitUntilCallersSee(dependencies, id, position, readModels.accounts);
  return viewOf(dependencies, id);
};

const listAccounts = sessionRoute({
  method: 'GET',
  path: '/api/v1/operator/accounts',
  operationId: 'listAccounts',
  tag,
  summary: 'List all accounts',
  description: 'For signed-in operators. Lists the accounts of the installation with plan, state and usage.',
  session,
  request: { query: listAccountsQuery },
  responses: [ok('A page of accounts.', nameSchema('AccountList', accountListResponse))],
  handle: async ({ query: { cursor, ...filter } }, { reads, eventLog }) => {
    const before = cursor === undefined ? undefined : bareId('acc', cursor);
    const { accounts, next } = await findAccountPage(reads, { ...filter, before });
    return {
      accounts: await operatorAccountViews(reads, accounts, eventLog.now()),
      next_cursor: next === null ? null : accountIdOf(next),
    };
  },
});

const getAccount = sessionRoute({
  method: 'GET',
  path: accountPath,
  operationId: 'getAccountAsOperator',
  tag,
  summary: 'Read any account',
  description: 'For signed-in operators.',
  session,
  request: { params },
  responses: [ok('The account.', accountSchema)],
  errors: ['account_not_found'],
  handle: async ({ params: { account_id } }, dependencies) =>
    viewOf(dependencies, (await requireAccount(dependencies, account_id)).id),
});

const listPlans = sessionRoute({
  method: 'GET',
  path: '/api/v1/operator/plans',
  operationId: 'listPlans',
  tag,
  summary: 'List the plans',
  description: 'For signed-in operators. Lists the plans with their limits.',
  session,
  responses: [ok('The plans.', nameSchema('PlanList', planListResponse))],
  handle: async () => ({ plans: planNames.map((name) => ({ name, limits: limitsView(plans[name]) })) }),
});

const open = sessionRoute({
  method: 'POST',
  path: '/api/v1/operator/accounts',
  operationId: 'openAccount',
  tag,
  summary: 'Open an account',
  description:
    'For signed-in operators. Opens an account without keys and members. Then send its owner a link, or act for it.',
  session,
  request: {
    body: nameSchema('OpenAccount', openAccountRequest),
    examples: { starter: { summary: 'An account', value: { name: 'Paper Mill', plan: 'starter' } } },
  },
  responses: [created('The account.', accountSchema)],
  handle: async ({ body: { name, plan, own_limits }, cause, reply }, dependencies) => {
    const opening = { name, plan, overrides: overridesOf(own_limits) };
    const causeOf = (accountId: string) => ({ ...cause, accountId });
    const { reads, eventLog } = dependencies;
    const { document, position } = await openAccountAs(eventLog, opening, causeOf);
    // The account is open even if the read model is late: a caller who repeats the request would open another.
    await waitUntilCallersSee(dependencies, document.id, position, readModels.accounts).catch(() => undefined);
    return reply.status(201).send((await operatorAccountViews(reads, [document], eventLog.now()))[0]!);
  },
});

const suspend = sessionRoute({
  method: 'POST',
  path: `${accountPath}/suspend`,
  operationId: 'suspendAccount',
  tag,
  summary: 'Suspend an account',
  description:
    'For signed-in operators. From the next request on, in all processes, every API key of the account gets 403 ' +
    '`account_suspended` with the reason. Members can still read.',
  session,
  request: {
    params,
    body: nameSchema('SuspendAccount', suspendAccountRequest),
    examples: { unpaid: { summary: 'With the reason', value: { reason: 'invoice 118 is unpaid' } } },
  },
  responses: [ok('The account.', accountSchema)],
  errors: ['account_not_found'],
  handle: (context, dependencies) => change(context, dependencies, { type: 'suspend', reason: context.body.reason }),
});

const reinstate = sessionRoute({
  method: 'POST',
  path: `${accountPath}/reinstate`,
  operationId: 'reinstateAccount',
  tag,
  summary: 'Reinstate a suspended account',
  description: 'For signed-in operators. The account is served again from the next request on.',
  session,
  request: {
    params,
    body: nameSchema('ReinstateAccount', reinstateAccountRequest),
    bodyIsOptional: true,
    examples: { paid: { summary: 'With a reason', value: { reason: 'paid' } } },
  },
  responses: [ok('The account.', accountSchema)],
  errors: ['account_not_found'],
  handle: (context, dependencies) =>
    change(context, dependencies, { type: 'reinstate', reason: context.body.reason ?? null }),
});

const changePlan = sessionRoute({
  method: 'PUT',
  path: `${accountPath}/plan`,
  operationId: 'changePlan',
  tag,
  summary: 'Change the plan and the own limits of an account',
  description:
    'For signed-in operators. The plan and the own limits become those of the body; a limit that the body lacks is that ' +
    'of the plan. They apply from the next request on, in all processes.',
  session,
  request: {
    params,
    body: nameSchema('ChangePlan', changePlanRequest),
    examples: {
      own: {
        summary: 'With an own limit',
        value: { plan: 'business', own_limits: { requests_per_minute: 600 }, reason: 'contract of May' },
      },
    },
  },
  responses: [ok('The account.', accountSchema)],
  errors: ['account_not_found'],
  handle: (context, dependencies) => {
    const { plan, own_limits, reason = null } = context.body;
    return change(context, dependencies, { type: 'changePlan', plan, overrides: overridesOf(own_limits), reason });
  },
});

const issueOwnerLink = sessionRoute({
  method: 'POST',
  path: `${accountPath}/owner-link`,
  operationId: 'issueOwnerLink',
  tag,
  summary: 'Issue a one-time link for an owner',
  description:
    'For signed-in operators. Returns a link that signs the person with this email in as an owner of the account: once, ' +
    'within 15 minutes. It is shown only in this response.',
  session,
  request: {
    params,
    body: nameSchema('OwnerLinkRequest', ownerLinkRequest),
    examples: { owner: { summary: 'The first owner', value: { email: 'ada@example.com' } } },
  },
  responses: [
    created('The link, shown only now.', nameSchema('OwnerLink', ownerLinkResponse), {
      'Cache-Control': 'Always `no-store`.',
    }),
  ],
  errors: ['account_not_found'],
  handle: async ({ params: { account_id }, body, cause, reply }, dependencies) => {
    const { id } = await requireAccount(dependencies, account_id);
    const { eventLog, baseUrl } = dependencies;
    const email = normaliseEmail(body.email);
    const { token, expiresAt } = await issueSignInLink(eventLog, cause.actor, {
      identity: { kind: 'email', email },
      accountId: id,
      role: 'owner',
      operator: false,
    });
    return reply
      .status(201)
      .header('cache-control', 'no-store')
      .send({ url: signInUrl(baseUrl, token), email, expires_at: expiresAt });
  },
});

/** All accounts, for operators. */
export const operatorRoutes: Route[] = [
  listAccounts,
  listPlans,
  open,
  getAccount,
  suspend,
  reinstate,
  changePlan,
  issueOwnerLink,
];

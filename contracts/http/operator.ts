import { z } from 'zod';
import { operatorSources } from '../events/people.ts';
import { ownLimitValues, planNames } from '../plans.ts';
import { accountName, accountResponse } from './account.ts';
import { listCursor, listQuery } from './jobs.ts';
import { oneLine } from './one-line.ts';

const timestamp = z.string().describe('ISO 8601, UTC.');
const count = z.number().int();
const plan = z.enum(planNames);
const unlimited = 'null if unlimited.';

const text = oneLine(z.string().trim().min(1).max(200));

const { limits } = accountResponse.shape;

/** Limits that replace those of the plan for one account. */
const ownLimits = z
  .strictObject({
    requests_per_minute: ownLimitValues.requestsPerMinute.optional(),
    requests_per_month: ownLimitValues.requestsPerMonth.optional(),
    max_pdf_mb: ownLimitValues.maxPdfMb.optional(),
  })
  .describe('Limits that replace those of the plan. A limit that is absent is that of the plan.');
export type OwnLimits = z.output<typeof ownLimits>;

/** An account as operators see it. */
export const operatorAccountResponse = z.object({
  id: z.string().describe('acc_<id>'),
  name: z.string(),
  plan,
  state: z.enum(['active', 'suspended']),
  suspended_at: timestamp.nullable(),
  reason: z.string().nullable().describe('Why the account is suspended.'),
  opened_at: timestamp,
  own_limits: ownLimits,
  limits,
  usage: z.object({
    period: z.string().describe('The current month, YYYY-MM, UTC.'),
    used: count.describe('Renders that count toward the quota.'),
    limit: count.nullable().describe(unlimited),
  }),
});
export type OperatorAccountResponse = z.output<typeof operatorAccountResponse>;

export const listAccountsQuery = z.strictObject({
  search: z
    .string()
    .trim()
    .max(200)
    .optional()
    .describe('A part of the name, upper and lower case alike, or a part of the id.'),
  plan: plan.optional(),
  state: z.enum(['active', 'suspended']).optional(),
  limit: listQuery.limit,
  cursor: listCursor('acc'),
});

/** 200 of GET /operator/accounts. */
export const accountListResponse = z.object({
  accounts: z.array(operatorAccountResponse).describe('The newest first.'),
  next_cursor: z
    .string()
    .nullable()
    .describe(
      'null on the last page. A page with filters can have fewer accounts than `limit` and yet not be the last.',
    ),
});
export type AccountListResponse = z.output<typeof accountListResponse>;

export const openAccountRequest = z.strictObject({ name: accountName, plan, own_limits: ownLimits.optional() });
export const suspendAccountRequest = z.strictObject({
  reason: text.describe('The reason. Callers of the account see it in the error `account_suspended`.'),
});
export const reinstateAccountRequest = z.strictObject({ reason: text.optional() });
export const changePlanRequest = z.strictObject({
  plan,
  own_limits: ownLimits.optional(),
  reason: text.optional(),
});

/** 200 of GET /operator/plans. */
export const planListResponse = z.object({ plans: z.array(z.object({ name: plan, limits })) });
export type PlanListResponse = z.output<typeof planListResponse>;

export const ownerLinkRequest = z.strictObject({
  email: z.string().trim().max(254).pipe(z.email('must be an email address')),
});
/** 201 of POST /operator/accounts/{account_id}/owner-link. */
export const ownerLinkResponse = z.object({
  url: z.string().describe('The link to pass on. It is shown only now, and signs in once.'),
  email: z.string(),
  expires_at: timestamp,
});

export const listOperatorsQuery = z.strictObject({ limit: listQuery.limit, cursor: listCursor('person') });

/** 200 of GET /operator/operators. */
export const operatorListResponse = z.object({
  operators: z.array(
    z.object({
      id: z.string().describe('person_<id>'),
      name: z.string(),
      email: z.string().nullable(),
      source: z
        .enum(operatorSources)
        .describe('`command`: by a link of `colophon dashboard --operator`. `groups`: by the identity provider.'),
      last_sign_in_at: timestamp.nullable(),
    }),
  ),
  next_cursor: z.string().nullable().describe('null on the last page.'),
});
export type OperatorListResponse = z.output<typeof operatorListResponse>;
export type OperatorResponse = OperatorListResponse['operators'][number];

import type { FastifyReply } from 'fastify';
import { Problem } from '#contracts/http/problem.ts';
import { limitsOf, type PlanLimits } from '#contracts/plans.ts';
import type { Allowance, Limits } from '#libs/limits/port.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { Caller } from './authenticate.ts';

const seconds = (at: Date): number => Math.ceil(at.getTime() / 1000);
const remaining = ({ limit, used }: Allowance): number => Math.max(0, (limit ?? 0) - used);

const setHeaders = (reply: FastifyReply, name: 'ratelimit' | 'quota', allowance: Allowance): void => {
  if (allowance.limit === null) return;
  reply.header(`x-${name}-limit`, allowance.limit);
  reply.header(`x-${name}-remaining`, remaining(allowance));
  reply.header(`x-${name}-reset`, seconds(allowance.resetAt));
};

export const planLimits = ({ plan, overrides }: AccountDocument): PlanLimits => limitsOf(plan, overrides);

/** Counts the request toward the account's minute and tells the caller how the limits stand. @throws Problem rate_limit_exceeded */
export const countRequest = async (limits: Limits, account: AccountDocument, reply: FastifyReply, now: Date): Promise<void> => {
  const plan = planLimits(account);
  const minute = await limits.takeRequest(account.id, plan.requestsPerMinute, now);
  setHeaders(reply, 'ratelimit', minute);
  setHeaders(reply, 'quota', await limits.renders(account.id, plan.requestsPerMonth, now));
  if (minute.allowed) return;
  const retryAfter = Math.max(1, Math.ceil((minute.resetAt.getTime() - now.getTime()) / 1000));
  throw Problem.of('rate_limit_exceeded', `The account may send ${minute.limit} requests a minute. Try again in ${retryAfter} s.`, {
    limit: minute.limit!, retry_after: retryAfter, reset_at: minute.resetAt.toISOString(),
  });
};

const quotaExceeded = ({ limit, used, resetAt }: Allowance): Problem =>
  Problem.of('quota_exceeded', `The account has used the ${limit} renders of this month. The quota begins anew at ${resetAt.toISOString()}.`, {
    quota_limit: limit!, quota_used: used, quota_reset: resetAt.toISOString(),
  });

/** Looks whether the account's month has room for one more render; test keys always have. @throws Problem quota_exceeded */
export const requireQuota = async (limits: Limits, { account, key }: Caller, now: Date): Promise<void> => {
  if (key.keyType === 'test') return;
  const month = await limits.renders(account.id, planLimits(account).requestsPerMonth, now);
  if (!month.allowed) throw quotaExceeded(month);
};

/** Counts a render toward the account's month; those of test keys do not count. @throws Problem quota_exceeded */
export const countRender = async (limits: Limits, { account, key }: Caller, reply: FastifyReply, now: Date): Promise<void> => {
  if (key.keyType === 'test') return;
  const month = await limits.takeRender(account.id, planLimits(account).requestsPerMonth, now);
  setHeaders(reply, 'quota', month);
  if (!month.allowed) throw quotaExceeded(month);
};

import type { FastifyReply } from 'fastify';
import { Problem } from '#contracts/http/problem.ts';
import { limitsOf, type PlanLimits } from '#contracts/plans.ts';
import type { Allowance, Limits } from '#libs/limits/port.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';

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

/** Counts a render of a live key toward the account's month; test keys only look. @throws Problem quota_exceeded */
export const countRender = async (limits: Limits, account: AccountDocument, keyType: 'live' | 'test', reply: FastifyReply, now: Date): Promise<void> => {
  if (keyType === 'test') return;
  const month = await limits.takeRender(account.id, planLimits(account).requestsPerMonth, now);
  setHeaders(reply, 'quota', month);
  if (month.allowed) return;
  throw Problem.of('quota_exceeded', `The account has used the ${month.limit} renders of this month. The quota begins anew at ${month.resetAt.toISOString()}.`, {
    quota_limit: month.limit!, quota_used: month.used, quota_reset: month.resetAt.toISOString(),
  });
};

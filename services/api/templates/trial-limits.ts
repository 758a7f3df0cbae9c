import type { FastifyRequest } from 'fastify';
import { Problem } from '#contracts/http/problem.ts';
import { readModels } from '#contracts/names.ts';
import { usageIdOf, type UsageDocument } from '#libs/projections/usage.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import type { Caller } from '../server/callers.ts';
import { monthNow } from '../usage/days.ts';
import type { Freshness } from '../server/freshness.ts';
import { monthOf, planLimits } from '../server/rate-limit.ts';

/** How many trials of one account may run at once in a process. */
export const mostAtOnce = 2;

/** Limits trials that run at once. */
export const openTrialTurns = () => {
  const running = new Map<string, number>();
  const change = (accountId: string, by: 1 | -1): void => {
    const count = (running.get(accountId) ?? 0) + by;
    if (count > 0) running.set(accountId, count);
    else running.delete(accountId);
  };
  return {
    /** Runs a trial. @throws Problem rate_limit_exceeded where as many of the account run already */
    run: async <T>(accountId: string, now: Date, trial: () => Promise<T>): Promise<T> => {
      if ((running.get(accountId) ?? 0) >= mostAtOnce)
        throw Problem.of('rate_limit_exceeded', `The account may try ${mostAtOnce} templates at once. Try again when one of them is done.`, { limit: mostAtOnce, retry_after: 1, reset_at: new Date(now.getTime() + 1_000).toISOString() });
      change(accountId, 1);
      try {
        return await trial();
      } finally {
        change(accountId, -1);
      }
    },
  };
};

/** Live keys have as many trials in a month as the account has renders; test keys have any number. @throws Problem quota_exceeded */
export const requireTrialsLeft = async ({ reads, freshness }: { reads: ReadStore; freshness: Freshness }, request: FastifyRequest, { account, key }: Caller, now: Date): Promise<void> => {
  const { requestsPerMonth: limit } = planLimits(account);
  if (key.keyType === 'test' || limit === null) return;
  await freshness.settled(account.id, readModels.usage);
  const usage = (await reads.get(readModels.usage, usageIdOf(account.id, monthNow(now)))) as UsageDocument | null;
  const used = usage?.trials ?? 0;
  if (used < limit) return;
  const resetAt = monthOf(request).resetAt.toISOString();
  throw Problem.of('quota_exceeded', `The account has used the ${limit} trials that live keys have in a month; test keys have any number. The count begins anew at ${resetAt}.`, { quota_limit: limit, quota_used: used, quota_reset: resetAt });
};

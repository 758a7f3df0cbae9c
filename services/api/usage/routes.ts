import type { FastifyInstance } from 'fastify';
import { type UsageAnswer, usageQuery } from '#contracts/http/account.ts';
import { Problem } from '#contracts/http/problem.ts';
import { readModels } from '#contracts/names.ts';
import type { Log } from '#application/handling/handle.ts';
import { usageIdOf, type UsageDocument } from '#libs/projections/usage.ts';
import type { Limits } from '#libs/limits/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { requirePermission } from '../server/authenticate.ts';
import { callerOf } from '../server/caller.ts';
import { daysSoFar, monthNow } from './days.ts';
import type { Freshness } from '../server/freshness.ts';
import { queryOf } from '../server/query.ts';
import { minuteOf, planLimits, requestsInMinute } from '../server/rate-limit.ts';
import { validated } from '../server/validate.ts';

export type UsageParts = { reads: ReadStore; freshness: Freshness; limits: Limits; log: Log };

const periodOf = (wanted: string | undefined, now: Date): string => {
  const present = monthNow(now);
  if (wanted !== undefined && wanted > present) throw Problem.of('invalid_request', `period is a month that has not begun; the latest is ${present}.`, { field: 'period' });
  return wanted ?? present;
};

/** GET /usage: the account's month, as the log has it. */
export const registerUsageRoute = (app: FastifyInstance, { reads, freshness, limits, log }: UsageParts): void => {
  app.get('/api/v1/usage', async (request): Promise<UsageAnswer> => {
    const caller = callerOf(request);
    const { period: wanted } = validated(usageQuery, queryOf(request));
    requirePermission(caller, 'usage:read');
    const { account } = caller;
    const now = log.now();
    const period = periodOf(wanted, now);
    await freshness.settled(account.id, readModels.usage);
    const document = (await reads.get(readModels.usage, usageIdOf(account.id, period))) as UsageDocument | null;
    const { requestsPerMonth: limit } = planLimits(account);
    const minute = minuteOf(request);
    const used = document?.used ?? 0;
    return {
      period,
      quota: { limit, used, remaining: limit === null ? null : Math.max(0, limit - used) },
      rate_limit: { per_minute: minute.limit, current_usage: minute.limit === null ? await requestsInMinute(limits, account.id, minute) : minute.used },
      trials: { limit, used: document?.trials ?? 0 },
      by_day: daysSoFar(period, now).map((date) => ({ date, requests: document?.byDay[date] ?? 0 })),
    };
  });
};

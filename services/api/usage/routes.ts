import { usageResponse, usageQuery } from '#contracts/http/account.ts';
import { invalidField } from '#contracts/http/api-error.ts';
import { readModels } from '#contracts/names.ts';
import { monthOf } from '#libs/limits/windows.ts';
import { usageIdOf, type UsageDocument } from '#libs/projections/usage.ts';
import { requestsInMinute } from '../server/rate-limit.ts';
import { nameSchema, route, type Route, ok } from '../server/route.ts';

const periodOf = (requested: string | undefined, now: Date): string => {
  const currentMonth = monthOf(now);
  if (requested === undefined || requested <= currentMonth) return requested ?? currentMonth;
  const message = `period is a month that has not begun; the latest is ${currentMonth}.`;
  throw invalidField('period', message);
};

/** The days (`YYYY-MM-DD`, UTC) of a month (`YYYY-MM`) that have begun at `now`, oldest first. */
const daysSoFar = (month: string, now: Date): string[] => {
  const [year, number] = [Number(month.slice(0, 4)), Number(month.slice(5))];
  const length = new Date(Date.UTC(2000 + (year % 400), number, 0)).getUTCDate();
  const days = Array.from({ length }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`);
  const today = now.toISOString().slice(0, 10);
  return days.filter((day) => day <= today);
};

/** The usage of the account. */
export const usageRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/usage',
    operationId: 'getUsage',
    tag: 'Account',
    summary: 'Read the usage of a month',
    description: 'Returns the renders that counted toward the quota, by day, and the current state of the limits.',
    permission: 'usage:read',
    request: { query: usageQuery },
    responses: [ok('The usage.', nameSchema('Usage', usageResponse))],
    handle: async ({ account, limits: planLimits, keyId, rateLimit, query }, dependencies) => {
      const { requestsPerMonth: limit, requestsPerMinute: perMinute } = planLimits;
      const { reads, readYourWrites, limits, eventLog } = dependencies;
      const now = eventLog.now();
      const period = periodOf(query.period, now);
      await readYourWrites.waitForWrites(account.id, readModels.usage);
      const document = (await reads.get(readModels.usage, usageIdOf(account.id, period))) as UsageDocument | null;
      const used = document?.used ?? 0;
      // The requests of people do not count toward the limit of the account.
      const isCounted = keyId !== null && rateLimit.limit !== null;
      const currentUsage = isCounted ? rateLimit.used : await requestsInMinute(limits, account.id, rateLimit);
      return {
        period,
        quota: { limit, used, remaining: limit === null ? null : Math.max(0, limit - used) },
        rate_limit: { per_minute: perMinute, current_usage: currentUsage },
        template_tests: { limit, used: document?.templateTests ?? 0 },
        by_day: daysSoFar(period, now).map((date) => ({ date, requests: document?.byDay[date] ?? 0 })),
      };
    },
  }),
];

import type { FastifyReply, FastifyRequest } from 'fastify';
import { rateLimitExceeded, secondsUntil } from '#contracts/http/api-error.ts';
import { planLimits } from '#application/accounts/queries.ts';
import type { KeyCache } from '#application/api-keys/queries.ts';
import type { LimitStatus, Limits, QuotaLimit, LimitsStatus } from '#libs/limits/port.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import { authenticate } from './authenticate.ts';
import type { CallerContext } from './context.ts';
import { callerOf, limitsStatusOf } from './request.ts';

/** What is left of a limit; null if unlimited. */
const remainingOf = ({ limit, used }: LimitStatus): number | null =>
  limit === null ? null : Math.max(0, limit - used);

/** Sets the headers of a limit; none if it is unlimited. */
export const setLimitHeaders = (reply: FastifyReply, name: 'ratelimit' | 'quota', status: LimitStatus): void => {
  if (status.limit === null) return;
  reply.header(`x-${name}-limit`, status.limit);
  reply.header(`x-${name}-remaining`, remainingOf(status));
  reply.header(`x-${name}-reset`, Math.ceil(status.resetAt.getTime() / 1000));
};

export const quotaOf = (account: AccountDocument): QuotaLimit => {
  const { quotaSince } = account;
  return { perMonth: planLimits(account).requestsPerMonth, ...(quotaSince !== undefined && { quotaSince }) };
};

const limitsFor = (account: AccountDocument) => ({
  perMinute: planLimits(account).requestsPerMinute,
  ...quotaOf(account),
});

type LimitsReporter = (limits: Limits, account: AccountDocument, reply: FastifyReply, now: Date) => Promise<void>;

/** Sets the limit headers, and keeps the state for the handler. */
export const reportStatus = (reply: FastifyReply, limitsStatus: LimitsStatus): void => {
  reply.request.limitsStatus = limitsStatus;
  setLimitHeaders(reply, 'ratelimit', limitsStatus.rateLimit);
  setLimitHeaders(reply, 'quota', limitsStatus.quota);
};

/** Counts the request toward the rate limit and sets the limit headers; rejects nothing. */
export const countRequest: LimitsReporter = async (limits, account, reply, now) =>
  reportStatus(reply, await limits.countRequest(account.id, limitsFor(account), now));

/** Sets the limit headers without counting the request. */
export const reportLimits: LimitsReporter = async (limits, account, reply, now) =>
  reportStatus(reply, await limits.readStatus(account.id, limitsFor(account), now));

/**
 * Sets the limit headers of an error that comes before authentication, if the request has a valid key. Does not count the
 * request, and never rejects: without a valid key or the limits, the error has no headers.
 */
export const reportLimitsOfKey = async (
  { keys, limits, eventLog }: { keys: KeyCache; limits: Limits; eventLog: { now: () => Date } },
  reply: FastifyReply,
): Promise<void> => {
  const { headers, raw } = reply.request;
  if (headers.authorization === undefined) return;
  const now = eventLog.now();
  try {
    const { account } = await authenticate(keys, raw, now);
    await reportLimits(limits, account, reply, now);
  } catch {
    // The response is the error of the path.
  }
};

/**
 * Renders of people do not count toward the quota. They count toward the rate limit of the account, like the requests
 * of its test keys. @throws ApiError rate_limit_exceeded
 */
export const countRenderOfPerson = async (
  { limits, eventLog }: { limits: Limits; eventLog: { now: () => Date } },
  { account, actor, reply }: Pick<CallerContext, 'account' | 'actor' | 'reply'>,
): Promise<void> => {
  if (actor.kind !== 'person') return;
  const now = eventLog.now();
  await countRequest(limits, account, reply, now);
  requireRateLimitLeft(limitsStatusOf(reply.request).rateLimit, now);
};

/** The requests of an account in a minute. Without a rate limit, the latest requests of other processes may be missing. */
export const requestsInMinute = async (limits: Limits, accountId: string, { resetAt }: LimitStatus): Promise<number> =>
  (await limits.readStatus(accountId, { perMinute: null, perMonth: null }, new Date(resetAt.getTime() - 1))).rateLimit
    .used;

/** The quota of an account, without counting a request. */
export const readQuota = async (limits: Limits, account: AccountDocument, now: Date): Promise<LimitStatus> =>
  (await limits.readStatus(account.id, { perMinute: null, ...quotaOf(account) }, now)).quota;

/** @throws ApiError rate_limit_exceeded if the request exceeded the limit of its minute. `describe` starts its message */
export const requireRateLimitLeft = (
  { allowed, limit, resetAt }: LimitStatus,
  now: Date,
  describe = (perMinute: number) => `The account may send ${perMinute} requests a minute.`,
): void => {
  if (allowed) return;
  const message = `${describe(limit!)} Try again in ${secondsUntil(resetAt, now)} s.`;
  throw rateLimitExceeded(message, limit!, resetAt, now);
};

/** Whether the route accepts asynchronous renders. If these are exempt, the request is counted after its body is read. */
export const mayBeExemptFromRateLimit = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.route?.isAsynchronous !== undefined;

const isExemptFromRateLimit = ({ routeOptions, body }: FastifyRequest): boolean =>
  routeOptions.config.route?.isAsynchronous?.(body) ?? false;

/** Counts a request that is counted after its body, unless it is exempt or was counted before. */
export const countDeferredRequest = async (limits: Limits, reply: FastifyReply, now: Date): Promise<void> => {
  const { request } = reply;
  if (!request.countAfterBody || isExemptFromRateLimit(request)) return;
  request.countAfterBody = false;
  await countRequest(limits, callerOf(request).account, reply, now);
};

/** @throws ApiError rate_limit_exceeded */
export const requireDeferredRateLimit = async (limits: Limits, reply: FastifyReply, now: Date): Promise<void> => {
  const { request } = reply;
  if (!request.countAfterBody || isExemptFromRateLimit(request)) return;
  await countDeferredRequest(limits, reply, now);
  requireRateLimitLeft(limitsStatusOf(request).rateLimit, now);
};

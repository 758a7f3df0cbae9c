import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#contracts/http/problem.ts';
import { planLimits } from '#application/accounts/queries.ts';
import type { Allowance, Limits, Quota, Standing } from '#libs/limits/port.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import { callerOf, standingOf } from './request.ts';

const seconds = (at: Date): number => Math.ceil(at.getTime() / 1000);

/** What is left of a window; null where it is unlimited. */
export const remaining = ({ limit, used }: Allowance): number | null => (limit === null ? null : Math.max(0, limit - used));

/** Tells the caller how a limit stands; nothing where there is none. */
export const setLimitHeaders = (reply: FastifyReply, name: 'ratelimit' | 'quota', allowance: Allowance): void => {
  if (allowance.limit === null) return;
  reply.header(`x-${name}-limit`, allowance.limit);
  reply.header(`x-${name}-remaining`, remaining(allowance));
  reply.header(`x-${name}-reset`, seconds(allowance.resetAt));
};

export const quotaOf = (account: AccountDocument): Quota => {
  const { limitedSince: since } = account;
  return { perMonth: planLimits(account).requestsPerMonth, ...(since !== undefined && { since }) };
};

const limitsFor = (account: AccountDocument) => ({
  perMinute: planLimits(account).requestsPerMinute,
  ...quotaOf(account),
});

type Tell = (limits: Limits, account: AccountDocument, reply: FastifyReply, now: Date) => Promise<void>;

const tell = (reply: FastifyReply, standing: Standing): void => {
  reply.request.standing = standing;
  setLimitHeaders(reply, 'ratelimit', standing.minute);
  setLimitHeaders(reply, 'quota', standing.month);
};

/** Counts the request toward the account's minute and tells the caller how the limits stand; refuses nothing. */
export const countRequest: Tell = async (limits, account, reply, now) =>
  tell(reply, await limits.admit(account.id, limitsFor(account), now));

/** Tells the caller how the limits stand without counting the request. */
export const showLimits: Tell = async (limits, account, reply, now) =>
  tell(reply, await limits.look(account.id, limitsFor(account), now));

/** The requests of an account in a minute. Without a rate limit, the latest of other processes may be missing. */
export const requestsInMinute = async (limits: Limits, accountId: string, { resetAt }: Allowance): Promise<number> =>
  (await limits.look(accountId, { perMinute: null, perMonth: null }, new Date(resetAt.getTime() - 1))).minute.used;

/** @throws Problem rate_limit_exceeded where the request came after the last one that the minute had room for */
export const requireRoomInMinute = ({ allowed, limit, resetAt }: Allowance, now: Date): void => {
  if (allowed) return;
  const retryAfter = Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / 1000));
  throw Problem.of('rate_limit_exceeded', `The account may send ${limit} requests a minute. Try again in ${retryAfter} s.`, {
    limit: limit!, retry_after: retryAfter, reset_at: resetAt.toISOString(),
  });
};

/** Whether the route takes asynchronous renders. Where these are exempt, it is counted once the body is read. */
export const mayBeExempt = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.route?.isAsynchronous !== undefined;

const isExempt = ({ routeOptions, body }: FastifyRequest): boolean =>
  routeOptions.config.route?.isAsynchronous?.(body) ?? false;

/** Counts a request that was to be counted later, unless it is exempt. Harmless where there is nothing to count. */
export const countLate = async (limits: Limits, reply: FastifyReply, now: Date): Promise<void> => {
  const { request } = reply;
  if (!request.countsLater || isExempt(request)) return;
  request.countsLater = false;
  await countRequest(limits, callerOf(request).account, reply, now);
};

/** @throws Problem rate_limit_exceeded */
export const requireCounted = async (limits: Limits, reply: FastifyReply, now: Date): Promise<void> => {
  const { request } = reply;
  if (!request.countsLater || isExempt(request)) return;
  await countLate(limits, reply, now);
  requireRoomInMinute(standingOf(request).minute, now);
};

import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#contracts/http/problem.ts';
import { limitsOf, type PlanLimits } from '#contracts/plans.ts';
import type { Allowance, Limits, Quota, Standing } from '#libs/limits/port.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';

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

/** The limits in force for an account. */
export const planLimits = ({ plan, overrides }: AccountDocument): PlanLimits => limitsOf(plan, overrides);

export const quotaOf = (account: AccountDocument): Quota => {
  const { limitedSince: since } = account;
  return { perMonth: planLimits(account).requestsPerMonth, ...(since !== undefined && { since }) };
};

const limitsFor = (account: AccountDocument) => ({
  perMinute: planLimits(account).requestsPerMinute,
  ...quotaOf(account),
});

type Tell = (limits: Limits, account: AccountDocument, reply: FastifyReply, now: Date) => Promise<void>;

const standings = new WeakMap<FastifyRequest, Standing>();

const standingOf = (request: FastifyRequest): Standing => {
  const standing = standings.get(request);
  if (!standing) throw new Error(`${request.method} ${request.url} was not counted`);
  return standing;
};

/** How the account's minute stands after this request; of one without limits `used` tells nothing. */
export const minuteOf = (request: FastifyRequest): Allowance => standingOf(request).minute;
/** How the account's month stood when this request came. */
export const monthOf = (request: FastifyRequest): Allowance => standingOf(request).month;

const tell = (reply: FastifyReply, standing: Standing): void => {
  standings.set(reply.request, standing);
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

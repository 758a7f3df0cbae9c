import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#contracts/http/problem.ts';
import { limitsOf, type PlanLimits } from '#contracts/plans.ts';
import type { Allowance, Limits, MonthLimit } from '#libs/limits/port.ts';
import { minuteEnd, monthEnd, standing } from '#libs/limits/windows.ts';
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

/** The limit of the account's months, as the counts know it. */
export const monthLimit = (account: AccountDocument): MonthLimit => ({ perMonth: planLimits(account).requestsPerMonth, ...(account.limitedSince !== undefined && { since: account.limitedSince }) });

type Standing = { minute: Allowance; month: Allowance };

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

/** Counts requests: at once where there is a limit, else four times a second. */
export type RequestCounts = {
  /** Counts the request toward the account's minute and tells the caller how the limits stand; refuses nothing. */
  count(account: AccountDocument, reply: FastifyReply, now: Date): Promise<void>;
  /** The requests of an account in the minute that ends at `resetAt`; of one without limits, those that other processes have counted in the last moment may be missing. */
  inMinute(accountId: string, resetAt: Date): Promise<number>;
  /** Counts what is left to be counted. */
  close(): Promise<void>;
};

/** What nothing is decided by is counted so often, in milliseconds. */
const noteEveryMs = 250;

const unlimited = (now: Date): Standing => ({ minute: standing(0, null, minuteEnd(now)), month: standing(0, null, monthEnd(now)) });

export const openRequestCounts = (limits: Limits): RequestCounts => {
  /** Requests by account and minute that are not counted yet. */
  let gathered = new Map<string, { accountId: string; now: Date; requests: number }>();
  let timer: NodeJS.Timeout | undefined;
  let noting: Promise<void> = Promise.resolve();

  const gather = (accountId: string, now: Date): void => {
    const place = `${accountId} ${minuteEnd(now).getTime()}`;
    const known = gathered.get(place);
    gathered.set(place, { accountId, now, requests: (known?.requests ?? 0) + 1 });
    timer ??= setTimeout(() => void note(), noteEveryMs).unref();
  };
  const note = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const all = gathered;
    gathered = new Map();
    // Nothing is decided by them: what the counts do not take is not told.
    const notes = [...all.values()].map(({ accountId, now, requests }) => limits.note(accountId, requests, now));
    return (noting = Promise.allSettled([noting, ...notes]).then(() => undefined));
  };

  return {
    count: async (account, reply, now) => {
      const perMinute = planLimits(account).requestsPerMinute;
      const month = monthLimit(account);
      if (perMinute !== null || month.perMonth !== null) return tell(reply, await limits.admit(account.id, { perMinute, ...month }, now));
      gather(account.id, now);
      tell(reply, unlimited(now));
    },
    inMinute: async (accountId, resetAt) => {
      await note();
      return (await limits.requests(accountId, null, new Date(resetAt.getTime() - 1))).used;
    },
    close: note,
  };
};

/** Tells the caller how the limits stand without counting the request. */
export const showLimits = async (limits: Limits, account: AccountDocument, reply: FastifyReply, now: Date): Promise<void> => {
  const { requestsPerMinute, requestsPerMonth } = planLimits(account);
  if (requestsPerMinute === null && requestsPerMonth === null) return tell(reply, unlimited(now));
  const [minute, month] = await Promise.all([limits.requests(account.id, requestsPerMinute, now), limits.renders(account.id, monthLimit(account), now)]);
  tell(reply, { minute, month });
};

/** @throws Problem rate_limit_exceeded where the request came after the last one that the minute had room for */
export const requireRoomInMinute = ({ allowed, limit, resetAt }: Allowance, now: Date): void => {
  if (allowed) return;
  const retryAfter = Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / 1000));
  throw Problem.of('rate_limit_exceeded', `The account may send ${limit} requests a minute. Try again in ${retryAfter} s.`, {
    limit: limit!, retry_after: retryAfter, reset_at: resetAt.toISOString(),
  });
};

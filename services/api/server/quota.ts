import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#contracts/http/problem.ts';
import { streams } from '#contracts/names.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import type { Allowance, Limits } from '#libs/limits/port.ts';
import type { Caller } from './callers.ts';
import { monthLimit, monthOf, setLimitHeaders } from './rate-limit.ts';

const quotaExceeded = ({ limit, used, resetAt }: Allowance): Problem =>
  Problem.of('quota_exceeded', `The account has used the ${limit} renders of this month. The quota begins anew at ${resetAt.toISOString()}.`, {
    quota_limit: limit!, quota_used: used, quota_reset: resetAt.toISOString(),
  });

/** Looks whether the account's month had room for one more render when the request came, unless it is over by now; test keys always have. @throws Problem quota_exceeded */
export const requireQuota = (request: FastifyRequest, { key }: Caller, now: Date): void => {
  const month = monthOf(request);
  if (key.keyType !== 'test' && !month.allowed && now < month.resetAt) throw quotaExceeded(month);
};

export type QuotaParts = { limits: Limits; log: { store: EventStore } };
/** The render to be: its bare id, and the moment that it is accepted and counted in. */
export type Counted = { id: string; at: Date };

/** Takes a render back unless the log has it after all, as it may when only the answer was lost. Where the log cannot tell now, the quota keeper asks it later. */
const forgoUnlessAccepted = async ({ limits, log }: QuotaParts, id: string): Promise<void> => {
  const events = await log.store.read(streams.render(id)).catch(() => null);
  if (events?.length === 0) await limits.forgoRender(id);
};

/**
 * Counts a render toward the account's month and has it accepted; one that is not accepted does not count. Those of test keys never do, and those of a month without a limit
 * are counted by the log alone.
 * @throws Problem quota_exceeded, and whatever `accept` throws
 */
export const withinQuota = async <T>(parts: QuotaParts, { account, key }: Caller, reply: FastifyReply, { id, at }: Counted, accept: () => Promise<T>): Promise<T> => {
  const limit = monthLimit(account);
  if (key.keyType === 'test' || limit.perMonth === null) return accept();
  const month = await parts.limits.takeRender({ id, accountId: account.id }, limit, at);
  setLimitHeaders(reply, 'quota', month);
  if (!month.allowed) throw quotaExceeded(month);
  try {
    return await accept();
  } catch (error) {
    await forgoUnlessAccepted(parts, id);
    throw error;
  }
};

import type { FastifyReply } from 'fastify';
import { Problem } from '#contracts/http/problem.ts';
import { streams } from '#contracts/names.ts';
import { isRemote } from '#libs/engines/remote.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import type { Allowance, Limits, RenderToCount } from '#libs/limits/port.ts';
import type { Caller } from '#application/api-keys/queries.ts';
import type { CallerContext } from './context.ts';
import { quotaOf, setLimitHeaders } from './rate-limit.ts';

const quotaExceeded = ({ limit, used, resetAt }: Allowance): Problem =>
  Problem.of('quota_exceeded', `The account has used the ${limit} renders of this month. The quota begins anew at ${resetAt.toISOString()}.`, {
    quota_limit: limit!, quota_used: used, quota_reset: resetAt.toISOString(),
  });

/** Looks whether the account's month had room for one more render when the request came, unless it is over by now; test keys always have. @throws Problem quota_exceeded */
export const requireQuota = ({ key, month }: Pick<CallerContext, 'key' | 'month'>, now: Date): void => {
  if (key.keyType !== 'test' && !month.allowed && now < month.resetAt) throw quotaExceeded(month);
};

export type QuotaParts = { limits: Limits; log: { store: EventStore } };
/** The render to be: its bare id, and the moment that it is accepted and counted in. */
export type Counted = { id: string; at: Date };

/**
 * Settles a render by the log: the append may have succeeded and its answer been lost. Where the log cannot be read
 * either, the count is corrected later; so it is where the log is a server, which may still append what it was asked to.
 */
const settleByLog = async ({ limits, log }: QuotaParts, render: RenderToCount): Promise<void> => {
  const events = await log.store.read(streams.render(render.id)).catch(() => null);
  if (!events || (events.length === 0 && isRemote(log.store))) return;
  await limits.settleRender(render, events[0]?.position ?? null).catch(() => undefined);
};

/**
 * Counts a render toward the account's month and has it accepted. One that is not accepted does not count, and
 * those of test keys never do.
 * @throws Problem quota_exceeded, and whatever `accept` throws
 */
export const withinQuota = async <T extends { position: number | null }>(
  parts: QuotaParts, { account, key }: Caller, reply: FastifyReply, { id, at }: Counted, accept: () => Promise<T>,
): Promise<T> => {
  if (key.keyType === 'test') return accept();
  const render = { id, accountId: account.id, at, ...quotaOf(account) };
  const month = await parts.limits.takeRender(render);
  setLimitHeaders(reply, 'quota', month);
  if (!month.allowed) throw quotaExceeded(month);
  let accepted: T | null = null;
  try {
    accepted = await accept();
    return accepted;
  } finally {
    const position = accepted?.position ?? null;
    await (position === null ? settleByLog(parts, render) : parts.limits.settleRender(render, position));
  }
};

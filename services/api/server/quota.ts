import type { FastifyReply } from 'fastify';
import { ApiError } from '#contracts/http/api-error.ts';
import { streams } from '#contracts/names.ts';
import { isRemoteEngine } from '#libs/engines/remote.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import type { LimitStatus, Limits, CountedRender } from '#libs/limits/port.ts';
import type { Caller } from '#application/api-keys/queries.ts';
import type { CallerContext } from './context.ts';
import { quotaOf, setLimitHeaders } from './rate-limit.ts';

const quotaExceeded = ({ limit, used, resetAt }: LimitStatus): ApiError =>
  ApiError.of(
    'quota_exceeded',
    `The account has used the ${limit} renders of this month. The quota begins anew at ${resetAt.toISOString()}.`,
    {
      quota_limit: limit!,
      quota_used: used,
      quota_reset: resetAt.toISOString(),
    },
  );

/** Looks whether the account's month had room for one more render when the request came, unless it is over by now; test keys always have. @throws Problem quota_exceeded */
export const requireQuotaLeft = ({ key, quota }: Pick<CallerContext, 'key' | 'quota'>, now: Date): void => {
  if (key.keyType !== 'test' && !quota.allowed && now < quota.resetAt) throw quotaExceeded(quota);
};

export type QuotaDependencies = { limits: Limits; eventLog: { store: EventStore } };
/** The render to be: its bare id, and the moment that it is accepted and counted in. */
export type RenderToAccept = { id: string; at: Date };

/**
 * Settles a render by the log: the append may have succeeded and its answer been lost. Where the log cannot be read
 * either, the count is corrected later; so it is where the log is a server, which may still append what it was asked to.
 */
const settleFromEventLog = async ({ limits, eventLog }: QuotaDependencies, render: CountedRender): Promise<void> => {
  const events = await eventLog.store.read(streams.render(render.id)).catch(() => null);
  if (!events || (events.length === 0 && isRemoteEngine(eventLog.store))) return;
  await limits.confirmOrReleaseRender(render, events[0]?.position ?? null).catch(() => undefined);
};

/**
 * Counts a render toward the account's month and has it accepted. One that is not accepted does not count, and
 * those of test keys never do.
 * @throws Problem quota_exceeded, and whatever `accept` throws
 */
export const acceptWithinQuota = async <T extends { position: number | null }>(
  parts: QuotaDependencies,
  { account, key }: Caller,
  reply: FastifyReply,
  { id, at }: RenderToAccept,
  accept: () => Promise<T>,
): Promise<T> => {
  if (key.keyType === 'test') return accept();
  const render = { id, accountId: account.id, at, ...quotaOf(account) };
  const month = await parts.limits.countRender(render);
  setLimitHeaders(reply, 'quota', month);
  if (!month.allowed) throw quotaExceeded(month);
  let accepted: T | null = null;
  try {
    accepted = await accept();
    return accepted;
  } finally {
    const position = accepted?.position ?? null;
    await (position === null
      ? settleFromEventLog(parts, render)
      : parts.limits.confirmOrReleaseRender(render, position));
  }
};

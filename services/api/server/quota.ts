import type { FastifyReply } from 'fastify';
import { ApiError } from '#contracts/http/api-error.ts';
import { streams } from '#contracts/names.ts';
import { isRemoteEngine } from '#libs/engines/remote.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import type { LimitStatus, Limits, CountedRender } from '#libs/limits/port.ts';
import type { Caller } from '#application/callers/caller.ts';
import type { CallerContext } from './context.ts';
import { quotaOf, setLimitHeaders } from './rate-limit.ts';

const quotaExceeded = ({ limit, used, resetAt }: LimitStatus, renders = 1): ApiError =>
  ApiError.of(
    'quota_exceeded',
    `${
      used < limit!
        ? `The request counts as ${renders} renders, and the account has ${limit! - used} of the ${limit} of this month left.`
        : `The account has used the ${limit} renders of this month.`
    } The quota starts again at ${resetAt.toISOString()}.`,
    {
      quota_limit: limit!,
      quota_used: used,
      quota_reset: resetAt.toISOString(),
    },
  );

/**
 * Requires quota for one more render at the time of the request, unless that month has ended since. Test keys need none.
 * @throws ApiError quota_exceeded
 */
export const requireQuotaLeft = ({ keyType, quota }: Pick<CallerContext, 'keyType' | 'quota'>, now: Date): void => {
  if (keyType !== 'test' && !quota.allowed && now < quota.resetAt) throw quotaExceeded(quota);
};

export type QuotaDependencies = { limits: Limits; eventLog: { store: EventStore } };
/**
 * The bare id of the render, the time of its acceptance, which decides its month, and how many renders it counts as.
 */
export type RenderToAccept = { id: string; at: Date; renders?: number };

/**
 * Confirms or releases a counted render by the event log: the append may have succeeded although its reply was lost. If
 * the event log cannot be read, or is a server that may still append the event, the counter is corrected later.
 */
const settleFromEventLog = async ({ limits, eventLog }: QuotaDependencies, render: CountedRender): Promise<void> => {
  const events = await eventLog.store.read(streams.render(render.id)).catch(() => null);
  if (!events || (events.length === 0 && isRemoteEngine(eventLog.store))) return;
  await limits.confirmOrReleaseRender(render, events[0]?.position ?? null).catch(() => undefined);
};

/**
 * Counts a render toward the quota and accepts it. A render that is not accepted does not count; renders of test keys
 * never count.
 * @throws ApiError quota_exceeded, and the errors of `accept`
 */
export const acceptWithinQuota = async <T extends { position: number | null }>(
  dependencies: QuotaDependencies,
  { account, keyType }: Caller,
  reply: FastifyReply,
  { id, at, renders = 1 }: RenderToAccept,
  accept: () => Promise<T>,
): Promise<T> => {
  if (keyType === 'test') return accept();
  const render = { id, accountId: account.id, at, renders, ...quotaOf(account) };
  const quota = await dependencies.limits.countRender(render);
  setLimitHeaders(reply, 'quota', quota);
  if (!quota.allowed) throw quotaExceeded(quota, renders);
  let accepted: T | null = null;
  try {
    accepted = await accept();
    return accepted;
  } finally {
    const position = accepted?.position ?? null;
    await (position === null
      ? settleFromEventLog(dependencies, render)
      : dependencies.limits.confirmOrReleaseRender(render, position));
  }
};

import type { KeyResponse } from '#contracts/http/keys.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import { keyViews } from '#application/api-keys/queries.ts';
import { shareOf } from '#application/statistics/counts.ts';
import type { ApiKeyDocument } from '#libs/projections/api-keys.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { createNamedActorView } from '../server/actor-names.ts';

/** Keys of an account as the API returns them, with their usage in a month (`YYYY-MM`; default: that of `now`). */
export const keyResponses = async (
  reads: ReadStore,
  keys: readonly ApiKeyDocument[],
  { requestsPerMonth }: Pick<PlanLimits, 'requestsPerMonth'>,
  now: Date,
  period = now.toISOString().slice(0, 7),
): Promise<KeyResponse[]> => {
  const accountId = keys[0]?.accountId ?? '';
  const [views, viewActor] = await Promise.all([
    keyViews(reads, keys, period, now),
    createNamedActorView(
      reads,
      accountId,
      keys.map(({ issuedBy }) => issuedBy),
    ),
  ]);
  return views.map((view, index) => ({
    ...view,
    created_by: viewActor(keys[index]!.issuedBy),
    period: {
      ...view.period,
      quota_share: requestsPerMonth === null ? null : (shareOf(view.period.quota, requestsPerMonth) ?? 0),
    },
  }));
};

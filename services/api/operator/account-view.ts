import type { OperatorAccountResponse, OwnLimits } from '#contracts/http/operator.ts';
import { accountIdOf, readModels } from '#contracts/names.ts';
import type { LimitOverrides } from '#contracts/plans.ts';
import { limitsView, planLimits } from '#application/accounts/queries.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import { type UsageDocument, usageIdOf } from '#libs/projections/usage.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

/** The limits of a request as events have them. Null is unlimited; an absent limit is that of the plan. */
export const overridesOf = ({
  requests_per_minute: requestsPerMinute,
  requests_per_month: requestsPerMonth,
  max_pdf_mb: maxPdfMb,
}: OwnLimits = {}): LimitOverrides => ({
  ...(requestsPerMinute !== undefined && { requestsPerMinute }),
  ...(requestsPerMonth !== undefined && { requestsPerMonth }),
  ...(maxPdfMb !== undefined && { maxPdfMb }),
});

const ownLimitsView = ({ requestsPerMinute, requestsPerMonth, maxPdfMb }: LimitOverrides): OwnLimits => ({
  ...(requestsPerMinute !== undefined && { requests_per_minute: requestsPerMinute }),
  ...(requestsPerMonth !== undefined && { requests_per_month: requestsPerMonth }),
  ...(maxPdfMb !== undefined && { max_pdf_mb: maxPdfMb }),
});

/** Accounts with their usage in the month of `now`, which is read with one query. */
export const operatorAccountViews = async (
  reads: Pick<ReadStore, 'getMany'>,
  accounts: readonly AccountDocument[],
  now: Date,
): Promise<OperatorAccountResponse[]> => {
  const period = now.toISOString().slice(0, 7);
  const ids = accounts.map(({ id }) => usageIdOf(id, period));
  const usage = (await reads.getMany(readModels.usage, ids)) as UsageDocument[];
  const usedBy = new Map(usage.map(({ accountId, used }) => [accountId, used]));
  return accounts.map((account) => {
    const { id, name, plan, overrides, openedAt, suspension } = account;
    const limits = limitsView(planLimits(account));
    return {
      id: accountIdOf(id),
      name,
      plan,
      state: suspension ? 'suspended' : 'active',
      suspended_at: suspension?.at ?? null,
      reason: suspension?.reason ?? null,
      opened_at: openedAt,
      own_limits: ownLimitsView(overrides),
      limits,
      usage: { period, used: usedBy.get(id) ?? 0, limit: limits.requests_per_month },
    };
  });
};

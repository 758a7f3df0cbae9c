import type { AccountResponse } from '#contracts/http/account.ts';
import { accountIdOf, bareId, readModels } from '#contracts/names.ts';
import { limitsOf, type PlanLimits, type PlanName } from '#contracts/plans.ts';
import type { ConfirmNotFound } from '#application/command-handling/confirm-not-found.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import { type UsageDocument, usageIdOf } from '#libs/projections/usage.ts';
import { openReadCache, type ReadCache } from '#libs/concurrency/read-cache.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { scanPage } from '#libs/read-store/scan-page.ts';

/** `search` is a part of the name or of the id; `before` is the bare id after which the page begins. */
type AccountFilter = {
  search?: string | undefined;
  plan?: PlanName | undefined;
  state?: 'active' | 'suspended' | undefined;
  before?: string | undefined;
  limit: number;
};

const normalised = (text: string): string => text.normalize('NFC').toLowerCase();

const matches = ({ id, name, suspension }: AccountDocument, { search = '', state }: AccountFilter): boolean =>
  (state === undefined || (suspension !== null) === (state === 'suspended')) &&
  (normalised(name).includes(normalised(search)) || normalised(accountIdOf(id)).includes(normalised(search)));

/**
 * A page of all accounts, the newest first. A page with a search or a state can have fewer accounts than `limit`
 * although `next`, a bare id, is not null.
 */
export const findAccountPage = async (
  reads: Pick<ReadStore, 'find'>,
  filter: AccountFilter,
): Promise<{ accounts: AccountDocument[]; next: string | null }> => {
  const { plan, before, limit } = filter;
  const where: Record<string, string> = plan === undefined ? {} : { plan };
  const scan = { where, before, limit };
  const { documents, next } = await scanPage<AccountDocument>(reads, readModels.accounts, scan, (account) =>
    matches(account, filter),
  );
  return { accounts: documents, next };
};

/** The limits of an account, with overrides. */
export const planLimits = ({ plan, overrides }: Pick<AccountDocument, 'plan' | 'overrides'>): PlanLimits =>
  limitsOf(plan, overrides);

/** The limits of an account in the API and the command line. Null is unlimited. */
export const limitsView = (limits: PlanLimits): AccountResponse['limits'] => ({
  requests_per_minute: limits.requestsPerMinute,
  requests_per_month: limits.requestsPerMonth,
  max_pdf_mb: limits.maxPdfMb,
  max_payload_mb: limits.maxPayloadMb,
  processing_timeout_seconds: limits.processingMs / 1000,
  javascript_timeout_seconds: limits.scriptMs / 1000,
  max_pages: limits.maxPages,
  max_external_images: limits.maxImages,
  max_templates: limits.maxTemplates,
  max_template_mb: limits.maxTemplateMb,
  max_variables: limits.maxVariables,
  kept_versions: limits.keptVersions,
});

/** `period` is a month (`YYYY-MM`). */
const accountView = (
  { id, name, plan, overrides, openedAt, suspension }: AccountDocument,
  period: string,
  usage: UsageDocument | null,
  keys: number,
) => ({
  id: accountIdOf(id),
  name,
  plan,
  state: suspension ? 'suspended' : 'active',
  suspended_at: suspension?.at ?? null,
  reason: suspension?.reason ?? null,
  opened_at: openedAt,
  overrides,
  limits: limitsView(planLimits({ plan, overrides })),
  usage: { period, used: usage?.used ?? 0 },
  keys,
});

export type AccountView = ReturnType<typeof accountView>;

/** Accounts by bare id from the read model, cached for `cacheMs` milliseconds. */
export const openAccountCache = (
  reads: Pick<ReadStore, 'get'>,
  cacheMs: number,
  confirmNotFound: ConfirmNotFound,
): ReadCache<AccountDocument> =>
  openReadCache(
    confirmNotFound(async (id) => (await reads.get(readModels.accounts, id)) as AccountDocument | null),
    cacheMs,
  );

/** An account by its `acc_<id>`; null if there is none. */
export const findAccount = async (reads: ReadStore, prefixed: string): Promise<AccountDocument | null> => {
  const id = bareId('acc', prefixed);
  return id ? ((await reads.get(readModels.accounts, id)) as AccountDocument | null) : null;
};

/** All accounts with this name, at most 10. */
export const findAccountsByName = async (reads: ReadStore, name: string): Promise<AccountDocument[]> =>
  (await reads.find(readModels.accounts, { where: { name }, limit: 10 })) as AccountDocument[];

/** All accounts, at most 10,000, in the order of their ids. */
export const listAccounts = async (reads: ReadStore): Promise<AccountDocument[]> =>
  (await reads.find(readModels.accounts, { where: {}, limit: 10_000 })) as AccountDocument[];

/** An account with its usage in the month of `now`. */
export const describeAccount = async (reads: ReadStore, document: AccountDocument, now: Date): Promise<AccountView> => {
  const period = now.toISOString().slice(0, 7);
  const [usage, keys] = await Promise.all([
    reads.get(readModels.usage, usageIdOf(document.id, period)),
    reads.count(readModels.apiKeys, { accountId: document.id }),
  ]);
  return accountView(document, period, usage as UsageDocument | null, keys);
};

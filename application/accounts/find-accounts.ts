import { accountIdOf, readModels } from '#contracts/names.ts';
import type { PlanName } from '#contracts/plans.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

/** `search` is a part of the name or of the id; `before` is the bare id after which the page begins. */
export type AccountFilter = {
  search?: string | undefined;
  plan?: PlanName | undefined;
  state?: 'active' | 'suspended' | undefined;
  before?: string | undefined;
  limit: number;
};

/** Accounts are read in batches, and at most this number for one page. */
const scanLimits = { batchSize: 250, maxScanned: 2_000 };

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
  const where: Record<string, string> = filter.plan === undefined ? {} : { plan: filter.plan };
  const found: AccountDocument[] = [];
  let { before } = filter;
  for (let scanned = 0; scanned < scanLimits.maxScanned; scanned += scanLimits.batchSize) {
    const batch = (await reads.find(readModels.accounts, {
      where,
      range: { by: 'id', before },
      sort: { by: 'id', descending: true },
      limit: scanLimits.batchSize,
    })) as AccountDocument[];
    found.push(...batch.filter((account) => matches(account, filter)));
    if (found.length > filter.limit)
      return { accounts: found.slice(0, filter.limit), next: found[filter.limit - 1]!.id };
    if (batch.length < scanLimits.batchSize) return { accounts: found, next: null };
    before = batch.at(-1)!.id;
  }
  return { accounts: found, next: before! };
};

import { accountIdOf, readModels } from '#contracts/names.ts';
import type { PlanName } from '#contracts/plans.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { scanPage } from '#libs/read-store/scan-page.ts';

/** `search` is a part of the name or of the id; `before` is the bare id after which the page begins. */
export type AccountFilter = {
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

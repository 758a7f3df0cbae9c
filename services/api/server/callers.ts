import { readModels } from '#contracts/names.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { ApiKeyDocument } from '#libs/projections/api-keys.ts';
import { type Known, openKnown } from '#libs/read-store/known.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

/** Who asks: a key, be it in force or not, and its account. */
export type Caller = { key: ApiKeyDocument; account: AccountDocument };

/** Callers by the hash of their key. */
export type Callers = Known<Caller>;

/** Callers from the read models, each known for so many milliseconds. */
export const openCallers = (reads: Pick<ReadStore, 'find' | 'get'>, knownForMs: number): Callers =>
  openKnown(async (hash) => {
    const [key] = (await reads.find(readModels.apiKeys, { where: { hash }, limit: 1 })) as ApiKeyDocument[];
    const account = key ? ((await reads.get(readModels.accounts, key.accountId)) as AccountDocument | null) : null;
    return key && account ? { key, account } : null;
  }, knownForMs);

import { bareId, readModels } from '#contracts/names.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { ApiKeyDocument } from '#libs/projections/api-keys.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { UsageError } from '../process/command-context.ts';

/** An account by its `acc_<id>`. @throws UsageError */
export const existingAccount = async (reads: ReadStore, prefixed: string): Promise<AccountDocument> => {
  const id = bareId('acc', prefixed);
  const document = id ? ((await reads.get(readModels.accounts, id)) as AccountDocument | null) : null;
  if (!document) throw new UsageError(`There is no account ${prefixed}. "colophon account list" shows all.`);
  return document;
};

/** A key by its `key_<id>`. @throws UsageError */
export const existingKey = async (reads: ReadStore, prefixed: string): Promise<ApiKeyDocument> => {
  const id = bareId('key', prefixed);
  const document = id ? ((await reads.get(readModels.apiKeys, id)) as ApiKeyDocument | null) : null;
  if (!document) throw new UsageError(`There is no key ${prefixed}. "colophon key list --account ID" shows an account's keys.`);
  return document;
};

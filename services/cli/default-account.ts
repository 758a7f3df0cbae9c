import { permissions } from '#contracts/events/account.ts';
import { readModels } from '#contracts/names.ts';
import { issueKey } from '#libs/accounts/issue-key.ts';
import { openAccount } from '#libs/accounts/open-account.ts';
import type { Log } from '#libs/handling/handle.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

const actor = { kind: 'service', name: 'first start' } as const;

export type FirstKeys = { live: string; test: string };

/** On a log without accounts, opens the account `default` with a live and a test key; null where there is an account already. */
export const openDefaultAccount = async (log: Log, reads: ReadStore): Promise<FirstKeys | null> => {
  if ((await reads.count(readModels.accounts, {})) > 0) return null;
  const accountId = await openAccount(log, actor, { name: 'default', plan: 'enterprise', overrides: {} });
  const issue = async (keyType: 'live' | 'test'): Promise<string> => {
    const wish = { accountId, name: `${keyType} key of the first start`, keyType, permissions, expiresAt: null };
    return (await issueKey(log, actor, wish)).secret;
  };
  return { live: await issue('live'), test: await issue('test') };
};

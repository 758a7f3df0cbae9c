import { Option } from 'commander';
import type { CliCommand } from './cli-command.ts';
import { issueKey, revokeKey } from '#application/api-keys/commands.ts';
import { listAccounts } from '#application/accounts/queries.ts';
import { newCause } from '#application/command-handling/aggregate.ts';
import { type KeyView, listKeys } from '#application/api-keys/queries.ts';
import { defaultKeyPermissions, type Permission, permissions } from '#contracts/events/account.ts';
import { accountIdOf, apiKeyIdOf } from '#contracts/names.ts';
import { changeCallersAndWait, withEngines } from '../process/command-context.ts';
import { requireAccount, requireKey, futureTimestamp, month, oneLine, permissionList, wantsJson } from './arguments.ts';
import { print, table } from './output.ts';

const formatMinute = (time: string | null): string | null => time && `${time.slice(0, 10)} ${time.slice(11, 16)}`;

const hasDefaultPermissions = (granted: readonly Permission[]): boolean =>
  granted.length === defaultKeyPermissions.length && defaultKeyPermissions.every((one) => granted.includes(one));

const formatKeyRow = ({
  id,
  prefix,
  name,
  type,
  state,
  permissions: keyPermissions,
  last_used_at: lastUsed,
  expires_at: expires,
  period,
}: KeyView) => ({
  id,
  key: `${prefix}...`,
  name,
  type,
  state: state === 'active' && expires ? `until ${formatMinute(expires)}` : state,
  permissions: hasDefaultPermissions(keyPermissions) ? 'default' : keyPermissions.join(','),
  'last used': formatMinute(lastUsed),
  requests: period.requests,
  renders: period.renders,
  succeeded: period.succeeded,
  failed: period.failed,
  quota: period.quota,
});

type CreateOptions = {
  account: string;
  type: 'live' | 'test';
  name: string;
  permissions: Permission[];
  expiresAt?: string;
};

const createKey = (options: CreateOptions, json: boolean): Promise<void> =>
  withEngines(async ({ engines, eventLog, actor }) => {
    const { id: accountId } = await requireAccount(engines.reads, options.account);
    const request = {
      accountId,
      name: options.name,
      keyType: options.type,
      permissions: options.permissions,
      expiresAt: options.expiresAt ?? null,
    };
    const { id, secret, prefix } = await issueKey(eventLog, actor, request);
    const result = {
      id: apiKeyIdOf(id),
      key: secret,
      prefix,
      name: request.name,
      type: request.keyType,
      permissions: request.permissions,
      expires_at: request.expiresAt,
    };
    print(json, result, `${secret}\n\nThe key is shown only now. Its id is ${result.id}.`);
  });

type ListOptions = { account?: string; period?: string };

const printKeys = ({ account, period: requestedPeriod }: ListOptions, json: boolean): Promise<void> =>
  withEngines(async ({ engines: { reads }, eventLog }) => {
    const accountId = account === undefined ? null : (await requireAccount(reads, account)).id;
    const now = eventLog.now();
    const period = requestedPeriod ?? now.toISOString().slice(0, 7);
    const keys = await listKeys(reads, accountId, period, now);
    const accounts = accountId === null ? await listAccounts(reads) : [];
    const names = new Map(accounts.map(({ id, name }) => [accountIdOf(id), name]));
    const rows = keys.map((key) => ({
      ...formatKeyRow(key),
      ...(accountId === null && { account: names.get(key.account) ?? key.account }),
    }));
    print(json, keys, `${table(rows)}\n\nThe columns from "requests" to "quota" are for ${period}.`);
  });

const runRevokeKey = (prefixedId: string, reason: string | undefined, json: boolean): Promise<void> =>
  withEngines(async ({ engines, eventLog, actor }) => {
    const key = await requireKey(engines.reads, prefixedId);
    const cause = newCause(actor, key.accountId);
    const { changed } = await changeCallersAndWait(engines, () => revokeKey(eventLog, key.id, reason ?? null, cause));
    const revoked = { id: prefixedId, account: accountIdOf(key.accountId), state: 'revoked' };
    print(json, revoked, changed ? `Key ${prefixedId} is revoked.` : `Key ${prefixedId} was already revoked.`);
  });

/** `colophon key ...` */
export const addKeyCommands = (program: CliCommand): void => {
  const account = 'acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M';
  const key = program
    .command('key')
    .description('issue, list and revoke API keys')
    .examples(`key create --account ${account} --type live --name "web shop"`, `key list --account ${account}`);
  key
    .command('create')
    .description('issue a key; it is shown only once')
    .requiredOption('--account <account>', 'the id or name of the account of the key')
    .addOption(
      new Option('--type <type>', 'live keys count toward the quota, test keys do not')
        .choices(['live', 'test'])
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'a name for the key', oneLine, 'unnamed')
    .option('--permissions <list>', `a comma-separated subset of ${permissions.join(',')}`, permissionList, [
      ...defaultKeyPermissions,
    ])
    .option('--expires-at <time>', 'when the key expires: an ISO 8601 date or time in the future', futureTimestamp)
    .examples(
      `key create --account ${account} --type live --name "web shop"`,
      `key create --account ${account} --type test --permissions render:create,jobs:read --expires-at 2030-01-31`,
    )
    .action((options: CreateOptions, command: CliCommand) => createKey(options, wantsJson(command)));
  key
    .command('list')
    .description('list keys with their state, last use and usage in a month')
    .option('--account <account>', 'the id or name of the account; by default all accounts')
    .option('--period <month>', 'YYYY-MM in UTC; by default the current month', month)
    .examples('key list', 'key list --account default', `key list --account ${account} --period 2030-01 --json`)
    .action((options: ListOptions, command: CliCommand) => printKeys(options, wantsJson(command)));
  key
    .command('revoke <id>')
    .description('revoke a key immediately and permanently')
    .option('--reason <text>', 'the reason, recorded', oneLine)
    .examples('key revoke key_01K6ZC5EAA11BB22CC33DD44EE --reason "lost laptop"')
    .action((id: string, options: { reason?: string }, command: CliCommand) =>
      runRevokeKey(id, options.reason, wantsJson(command)),
    );
};

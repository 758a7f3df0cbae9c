import { type Command, Option } from 'commander';
import { issueKey, revokeKey } from '#application/api-keys/commands.ts';
import { type KeyView, listKeys } from '#application/api-keys/queries.ts';
import { type Permission, permissions } from '#contracts/events/account.ts';
import { accountIdOf, apiKeyIdOf } from '#contracts/names.ts';
import { changeCallersAndWait, withEngines } from '../process/command-context.ts';
import {
  examples,
  requireAccount,
  requireKey,
  isoTimestamp,
  month,
  oneLine,
  permissionList,
  wantsJson,
} from './arguments.ts';
import { print, table } from './output.ts';

const formatMinute = (time: string | null): string | null => time && `${time.slice(0, 10)} ${time.slice(11, 16)}`;

/** A key for people, in a row. */
const formatKeyRow = ({
  id,
  prefix,
  name,
  type,
  state,
  permissions: some,
  last_used_at: lastUsed,
  expires_at: expires,
  period,
}: KeyView) => ({
  id,
  key: `${prefix}...`,
  name,
  type,
  state: state === 'active' && expires ? `until ${formatMinute(expires)}` : state,
  may: some.length === permissions.length ? 'all' : some.join(','),
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
    const wish = {
      accountId,
      name: options.name,
      keyType: options.type,
      permissions: options.permissions,
      expiresAt: options.expiresAt ?? null,
    };
    const { id, secret, prefix } = await issueKey(eventLog, actor, wish);
    const shown = {
      id: apiKeyIdOf(id),
      key: secret,
      prefix,
      name: wish.name,
      type: wish.keyType,
      permissions: wish.permissions,
      expires_at: wish.expiresAt,
    };
    print(json, shown, `${secret}\n\nThis is the only time that the key is shown. Its id is ${shown.id}.`);
  });

type ListOptions = { account: string; period?: string };

const printKeys = ({ account, period: wanted }: ListOptions, json: boolean): Promise<void> =>
  withEngines(async ({ engines: { reads }, eventLog }) => {
    const { id: accountId } = await requireAccount(reads, account);
    const now = eventLog.now();
    const period = wanted ?? now.toISOString().slice(0, 7);
    const keys = await listKeys(reads, accountId, period, now);
    print(json, keys, `${table(keys.map(formatKeyRow))}\n\nFrom "requests" on: in ${period}.`);
  });

const runRevokeKey = (prefixed: string, reason: string | undefined, json: boolean): Promise<void> =>
  withEngines(async ({ engines, eventLog, actor }) => {
    const key = await requireKey(engines.reads, prefixed);
    const changed = await changeCallersAndWait(engines, () => revokeKey(eventLog, actor, key, reason ?? null));
    const revoked = { id: prefixed, account: accountIdOf(key.accountId), state: 'revoked' };
    print(json, revoked, changed ? `Key ${prefixed} is revoked.` : `Key ${prefixed} was revoked before.`);
  });

/** `colophon key ...` */
export const addKeyCommands = (program: Command): void => {
  const account = 'acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M';
  const key = program
    .command('key')
    .description('issue API keys, see what is done with them, revoke them')
    .addHelpText(
      'after',
      examples(`key create --account ${account} --type live --name "web shop"`, `key list --account ${account}`),
    );
  key
    .command('create')
    .description('issue a key; it is shown once')
    .requiredOption('--account <id>', 'the account that the key is for')
    .addOption(
      new Option('--type <type>', 'live keys count toward the quota, test keys do not')
        .choices(['live', 'test'])
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'what to call it', oneLine, 'unnamed')
    .option('--permissions <list>', `fewer than all, with commas: ${permissions.join(',')}`, permissionList, [
      ...permissions,
    ])
    .option('--expires-at <time>', 'makes the key temporary', isoTimestamp)
    .addHelpText(
      'after',
      examples(
        `key create --account ${account} --type live --name "web shop"`,
        `key create --account ${account} --type test --permissions render:create,jobs:read --expires-at 2030-01-31`,
      ),
    )
    .action((options: CreateOptions, command: Command) => createKey(options, wantsJson(command)));
  key
    .command('list')
    .description("an account's keys: their state, their last use, and what was done with them in a month")
    .requiredOption('--account <id>', 'the account')
    .option('--period <month>', 'YYYY-MM in UTC; the present month unless given', month)
    .addHelpText(
      'after',
      examples(`key list --account ${account}`, `key list --account ${account} --period 2030-01 --json`),
    )
    .action((options: ListOptions, command: Command) => printKeys(options, wantsJson(command)));
  key
    .command('revoke <id>')
    .description('revoke a key, at once and for good')
    .option('--reason <text>', 'why, for the record', oneLine)
    .addHelpText('after', examples('key revoke key_01K6ZC5EAA11BB22CC33DD44EE --reason "lost laptop"'))
    .action((id: string, options: { reason?: string }, command: Command) =>
      runRevokeKey(id, options.reason, wantsJson(command)),
    );
};

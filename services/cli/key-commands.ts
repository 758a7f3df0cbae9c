import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Permission, permissions } from '#contracts/events/account.ts';
import { accountIdOf, bareId, keyIdOf, readModels, streams } from '#contracts/names.ts';
import { issueKey } from '#libs/accounts/issue-key.ts';
import { causeOf } from '#libs/accounts/open-account.ts';
import { apiKey } from '#libs/domain/api-key.ts';
import { load } from '#libs/handling/handle.ts';
import type { ApiKeyDocument } from '#libs/projections/api-keys.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { withEngines } from './context.ts';
import { print, table, UsageError } from './output.ts';

const permissionList = (text: string): Permission[] => {
  const wished = text.split(',').map((one) => one.trim());
  const unknown = wished.filter((one) => !(permissions as readonly string[]).includes(one));
  if (unknown.length > 0) throw new InvalidArgumentError(`Unknown: ${unknown.join(', ')}. There are: ${permissions.join(', ')}.`);
  return wished as Permission[];
};

const instant = (text: string): string => {
  const time = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(time.getTime())) throw new InvalidArgumentError('It must be an ISO 8601 date or time, such as 2030-01-31T12:00:00Z.');
  return time.toISOString();
};

const existingAccount = async (reads: ReadStore, prefixed: string): Promise<string> => {
  const id = bareId('acc', prefixed);
  if (!id || !(await reads.get(readModels.accounts, id))) throw new UsageError(`There is no account ${prefixed}. "account list" shows all.`);
  return id;
};

const stateOf = ({ revokedAt, expiresAt }: ApiKeyDocument, now: Date): string =>
  revokedAt ? 'revoked' : expiresAt && expiresAt <= now.toISOString() ? 'expired' : 'active';

type CreateOptions = { account: string; type: 'live' | 'test'; name: string; permissions: Permission[]; expiresAt?: string };

const create = (options: CreateOptions, json: boolean): Promise<void> =>
  withEngines(async ({ engines, log, actor }) => {
    const accountId = await existingAccount(engines.reads, options.account);
    const wish = { accountId, name: options.name, keyType: options.type, permissions: options.permissions, expiresAt: options.expiresAt ?? null };
    const { id, secret, prefix } = await issueKey(log, actor, wish);
    const shown = { id: keyIdOf(id), key: secret, prefix, name: wish.name, type: wish.keyType, permissions: wish.permissions, expires_at: wish.expiresAt };
    print(json, shown, `${secret}\n\nThis is the only time that the key is shown. Its id is ${shown.id}.`);
  });

const list = (account: string, json: boolean): Promise<void> =>
  withEngines(async ({ engines, log }) => {
    const accountId = await existingAccount(engines.reads, account);
    const keys = (await engines.reads.find(readModels.apiKeys, { where: { accountId }, sort: { by: 'issuedAt', descending: false }, limit: 10_000 })) as ApiKeyDocument[];
    const rows = keys.map((key) => ({
      id: keyIdOf(key.id), prefix: key.prefix, name: key.name, type: key.keyType, state: stateOf(key, log.now()),
      issued_at: key.issuedAt, expires_at: key.expiresAt, revoked_at: key.revokedAt, permissions: key.permissions,
    }));
    print(json, rows, table(rows.map(({ permissions: some, ...row }) => ({ ...row, permissions: some.length === permissions.length ? 'all' : some.join(',') }))));
  });

const revoke = (prefixed: string, reason: string | undefined, json: boolean): Promise<void> =>
  withEngines(async ({ engines, log, actor }) => {
    const id = bareId('key', prefixed);
    const key = id ? ((await engines.reads.get(readModels.apiKeys, id)) as ApiKeyDocument | null) : null;
    if (!key) throw new UsageError(`There is no key ${prefixed}. "key list --account ID" shows an account's keys.`);
    const { aggregate } = await load(log, apiKey, streams.apiKey(key.id));
    const { events } = await aggregate.execute({ type: 'revoke', reason: reason ?? null }, causeOf(actor, key.accountId));
    const revoked = { id: prefixed, account: accountIdOf(key.accountId), state: 'revoked' };
    print(json, revoked, events.length > 0 ? `Key ${prefixed} is revoked.` : `Key ${prefixed} was revoked before.`);
  });

/** `colophon key ...` */
export const addKeyCommands = (program: Command): void => {
  const key = program.command('key').description('issue API keys, see them, revoke them');
  key
    .command('create')
    .description('issue a key; it is shown once')
    .requiredOption('--account <id>', 'the account that the key is for')
    .addOption(new Option('--type <type>', 'live keys count toward the quota, test keys do not').choices(['live', 'test']).makeOptionMandatory())
    .option('--name <name>', 'what to call it', 'unnamed')
    .option('--permissions <list>', 'fewer than all, comma-separated', permissionList, [...permissions])
    .option('--expires-at <time>', 'makes the key temporary', instant)
    .action((options: CreateOptions, command: Command) => create(options, command.optsWithGlobals().json === true));
  key
    .command('list')
    .description("an account's keys")
    .requiredOption('--account <id>', 'the account')
    .action((options: { account: string }, command: Command) => list(options.account, command.optsWithGlobals().json === true));
  key
    .command('revoke <id>')
    .description('revoke a key, at once and for good')
    .option('--reason <text>', 'why, for the record')
    .action((id: string, options: { reason?: string }, command: Command) => revoke(id, options.reason, command.optsWithGlobals().json === true));
};

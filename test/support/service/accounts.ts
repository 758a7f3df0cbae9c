import { parseArgs } from 'node:util';
import { openAccount as appendAccount } from '#application/accounts/commands.ts';
import { issueKey as appendKey } from '#application/api-keys/commands.ts';
import { type Permission, permissions } from '#contracts/events/account.ts';
import { accountIdOf, bareId, apiKeyIdOf, streams } from '#contracts/names.ts';
import type { PlanName } from '#contracts/plans.ts';
import { account as accountDecider } from '#libs/domain/account.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { projections } from '#libs/projections/all.ts';
import { loadAggregate } from '#application/command-handling/aggregate.ts';
import { type CommandContext, withEngines } from '../../../services/process/command-context.ts';
import { runAsCommand } from './in-process-command.ts';
import { withInstallationEngines } from './with-engines.ts';
import type { CommandLine } from './installation.ts';

export type IssuedKey = { id: string; key: string; prefix: string };

type Work<T> = (context: Pick<CommandContext, 'eventLog' | 'actor'>) => Promise<T>;

/** A server that has just started creates its indexes first, which takes long on a busy machine. */
const engineTimeoutMs = 120_000;

/** Runs the work of a command in this process, because starting a process takes much longer. */
const runInProcess = async <T>({ settings, engines }: CommandLine, work: Work<T>): Promise<T> => {
  if (!engines) return runAsCommand(() => withEngines(work, { missingEventLog: 'created', settings, engineTimeoutMs }));
  const { store, reads } = engines;
  const result = await work({ eventLog: { store, now: () => new Date() }, actor: { kind: 'person', name: 'tests' } });
  await catchUp(store, reads, projections);
  return result;
};

const accountOptions = {
  name: { type: 'string', default: 'tests' },
  plan: { type: 'string', default: 'business' },
  'requests-per-minute': { type: 'string' },
  'requests-per-month': { type: 'string' },
  'max-pdf-mb': { type: 'string' },
} as const;

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

/** Opens an account; `options` as those of `colophon account create`. On the plan `business` unless they say otherwise. */
export const openAccount = (installation: CommandLine, ...options: string[]): Promise<string> => {
  const { values } = parseArgs({ args: options, options: accountOptions });
  const overrides = {
    requestsPerMinute: numberOf(values['requests-per-minute']),
    requestsPerMonth: numberOf(values['requests-per-month']),
    maxPdfMb: numberOf(values['max-pdf-mb']),
  };
  return runInProcess(installation, async ({ eventLog, actor }) =>
    accountIdOf(await appendAccount(eventLog, actor, { name: values.name, plan: values.plan as PlanName, overrides })),
  );
};

const keyOptions = {
  type: { type: 'string', default: 'live' },
  name: { type: 'string', default: 'unnamed' },
  permissions: { type: 'string', default: permissions.join(',') },
  'expires-at': { type: 'string' },
} as const;

/** Issues a key of an account; `options` as those of `colophon key create`. A live key with every permission unless they say otherwise. */
export const issueKey = (installation: CommandLine, account: string, ...options: string[]): Promise<IssuedKey> => {
  const { values } = parseArgs({ args: options, options: keyOptions });
  const expires = values['expires-at'];
  return runInProcess(installation, async ({ eventLog, actor }) => {
    const { id, secret, prefix } = await appendKey(eventLog, actor, {
      accountId: bareId('acc', account)!,
      name: values.name,
      keyType: values.type as 'live' | 'test',
      permissions: values.permissions.split(',') as Permission[],
      expiresAt: expires === undefined ? null : new Date(expires).toISOString(),
    });
    return { id: apiKeyIdOf(id), key: secret, prefix };
  });
};

/** As `openAccount`, by the command, where the command is what is tested. */
export const openAccountByCommand = async (installation: CommandLine, ...options: string[]): Promise<string> => {
  const plan = options.includes('--plan') ? [] : ['--plan', 'business'];
  const args = ['account', 'create', '--name', 'tests', ...plan, ...options];
  return (await installation.runJsonCommand<{ id: string }>(...args)).id;
};

/** As `issueKey`, by the command, where the command is what is tested. */
export const issueKeyByCommand = (
  installation: CommandLine,
  account: string,
  ...options: string[]
): Promise<IssuedKey> => {
  const type = options.includes('--type') ? [] : ['--type', 'live'];
  return installation.runJsonCommand<IssuedKey>('key', 'create', '--account', account, ...type, ...options);
};

const unlimitedOptions = ['--requests-per-minute', '1000000', '--requests-per-month', '1000000'];

/** A key of a new account with the usual document limits and a very high number of requests. */
export const createUnlimitedKey = async (installation: CommandLine, ...options: string[]): Promise<string> =>
  (await issueKey(installation, await openAccount(installation, ...unlimitedOptions, ...options))).key;

/** Suspends the account by an event. */
export const suspendAccount = (installation: CommandLine, prefixed: string, reason: string): Promise<void> =>
  withInstallationEngines(installation, async ({ store }) => {
    const id = bareId('acc', prefixed)!;
    const { aggregate } = await loadAggregate({ store, now: () => new Date() }, accountDecider, streams.account(id));
    const cause = {
      actor: { kind: 'person', name: 'tests' } as const,
      accountId: id,
      correlationId: 'tests',
      causationId: null,
      traceparent: null,
    };
    await aggregate.execute({ type: 'suspend', reason }, cause);
  });

import { Option } from 'commander';
import type { CliCommand } from './cli-command.ts';
import { openAccount } from '#application/accounts/commands.ts';
import { type AccountView, describeAccount, findAccountsByName, listAccounts } from '#application/accounts/queries.ts';
import { accountIdOf } from '#contracts/names.ts';
import { type LimitOverrides, type PlanName, planNames } from '#contracts/plans.ts';
import { withEngines } from '../process/command-context.ts';
import { addAccountChangeCommands, addWebhookSecretCommand } from './account-change-commands.ts';
import { addAccountSettingsCommand } from './account-settings-command.ts';
import { addLimitOptions, requireAccount, oneLine, wantsJson } from './arguments.ts';
import { print, table } from './output.ts';

/** An account as text, one field on each line. */
const formatAccount = ({ limits, usage, overrides: _, suspended_at: since, reason, ...facts }: AccountView): string => {
  const state = since === null ? facts.state : `suspended since ${since}: ${reason}`;
  const lines = { ...facts, state, 'renders toward quota': `${usage.used} in ${usage.period}`, ...limits };
  const width = Math.max(...Object.keys(lines).map((name) => name.length));
  return Object.entries(lines)
    .map(([name, value]) => `${name.replaceAll('_', ' ').padEnd(width)}  ${value ?? 'unlimited'}`)
    .join('\n');
};

const planOption = new Option('--plan <plan>', 'the plan, which sets the limits')
  .choices(planNames)
  .makeOptionMandatory();

const onNewInstallation = { missingEventLog: 'created' } as const;

type CreateOptions = LimitOverrides & { name: string; plan: PlanName };

const createAccount = ({ name, plan, ...overrides }: CreateOptions, json: boolean): Promise<void> =>
  withEngines(async ({ engines: { reads }, eventLog, actor }) => {
    const sameName = await findAccountsByName(reads, name);
    const id = accountIdOf(await openAccount(eventLog, actor, { name, plan, overrides }));
    const note = sameName.length > 0 ? ' Another account has this name, too: use their ids in commands.' : '';
    print(json, { id, name, plan, ...overrides }, `Account ${id} (${name}) was created with the plan ${plan}.${note}`);
  }, onNewInstallation);

const printAccounts = (json: boolean): Promise<void> =>
  withEngines(async ({ engines }) => {
    const rows = (await listAccounts(engines.reads)).map(({ id, name, plan, openedAt, suspension }) => ({
      id: accountIdOf(id),
      name,
      plan,
      state: suspension ? 'suspended' : 'active',
      opened_at: openedAt,
    }));
    print(json, rows, table(rows));
  });

const showAccount = (idOrName: string, json: boolean): Promise<void> =>
  withEngines(async ({ engines: { reads }, eventLog }) => {
    const details = await describeAccount(reads, await requireAccount(reads, idOrName), eventLog.now());
    print(json, details, formatAccount(details));
  });

/** `colophon account ...` */
export const addAccountCommands = (program: CliCommand): void => {
  const account = program
    .command('account')
    .description('create and show accounts, change their plan, suspend them')
    .examples(
      'account create --name "Paper Mill" --plan starter',
      'account list',
      'account suspend acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M --reason "invoice 118 is unpaid"',
    );
  const create = account
    .command('create')
    .description('create an account')
    .requiredOption('--name <name>', 'a name for the account', oneLine)
    .addOption(planOption);
  addLimitOptions(create)
    .examples(
      'account create --name "Paper Mill" --plan starter',
      'account create --name "Printing Works" --plan enterprise --requests-per-minute 600 --max-pdf-mb 200',
    )
    .action((options: CreateOptions, command: CliCommand) => createAccount(options, wantsJson(command)));
  account
    .command('list')
    .description('list all accounts')
    .examples('account list', 'account list --json')
    .action((_: unknown, command: CliCommand) => printAccounts(wantsJson(command)));
  account
    .command('show <account>')
    .description('show an account with its limits and its usage this month')
    .examples('account show default', 'account show acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M')
    .action((id: string, _: unknown, command: CliCommand) => showAccount(id, wantsJson(command)));
  addAccountChangeCommands(account);
  addAccountSettingsCommand(account);
  addWebhookSecretCommand(account);
};

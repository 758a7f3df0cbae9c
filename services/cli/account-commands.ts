import { type Command, InvalidArgumentError, Option } from 'commander';
import { accountIdOf, readModels } from '#contracts/names.ts';
import { planNames, type PlanName } from '#contracts/plans.ts';
import { openAccount } from '#libs/accounts/open-account.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import { withEngines } from './context.ts';
import { print, table } from './output.ts';
import { addWebhookSecretCommand } from './webhook-secret-command.ts';

export const positive = (text: string): number => {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('It must be a number above 0.');
  return value;
};

export const positiveWhole = (text: string): number => {
  const value = positive(text);
  if (!Number.isInteger(value)) throw new InvalidArgumentError('It must be a whole number.');
  return value;
};

const planOption = new Option('--plan <plan>', 'the plan, which sets the limits').choices(planNames).makeOptionMandatory();

type CreateOptions = { name: string; plan: PlanName; requestsPerMinute?: number; requestsPerMonth?: number; maxPdfMb?: number };

const create = ({ name, plan, ...overrides }: CreateOptions, json: boolean): Promise<void> =>
  withEngines(async ({ log, actor }) => {
    const id = accountIdOf(await openAccount(log, actor, { name, plan, overrides }));
    print(json, { id, name, plan, ...overrides }, `Account ${id} (${name}) is open on the plan ${plan}.`);
  });

const list = (json: boolean): Promise<void> =>
  withEngines(async ({ engines }) => {
    const documents = (await engines.reads.find(readModels.accounts, { where: {}, limit: 10_000 })) as AccountDocument[];
    const rows = documents.map(({ id, name, plan, openedAt, suspension }) => ({
      id: accountIdOf(id), name, plan, state: suspension ? 'suspended' : 'active', opened_at: openedAt,
    }));
    print(json, rows, table(rows));
  });

/** `colophon account ...` */
export const addAccountCommands = (program: Command): void => {
  const account = program.command('account').description('open accounts and see them');
  addWebhookSecretCommand(account);
  account
    .command('create')
    .description('open an account')
    .requiredOption('--name <name>', 'what to call it')
    .addOption(planOption)
    .option('--requests-per-minute <n>', "in place of the plan's figure", positiveWhole)
    .option('--requests-per-month <n>', "in place of the plan's figure", positiveWhole)
    .option('--max-pdf-mb <n>', "in place of the plan's figure", positive)
    .action((options: CreateOptions, command: Command) => create(options, command.optsWithGlobals().json === true));
  account
    .command('list')
    .description('all accounts')
    .action((_: unknown, command: Command) => list(command.optsWithGlobals().json === true));
};

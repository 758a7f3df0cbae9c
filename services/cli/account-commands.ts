import { type Command, Option } from 'commander';
import { accountIdOf, readModels } from '#contracts/names.ts';
import { planNames, type PlanName } from '#contracts/plans.ts';
import { openAccount } from '#application/accounts/commands.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import { usageIdOf, type UsageDocument } from '#libs/projections/usage.ts';
import { addAccountChanges } from './account-changes.ts';
import { accountDetails, accountText } from './account-view.ts';
import { examples, oneLine, positive, positiveWhole, wantsJson } from './arguments.ts';
import { withEngines } from '../process/command-context.ts';
import { existingAccount } from './find.ts';
import { print, table } from './output.ts';
import { addWebhookSecretCommand } from './webhook-secret-command.ts';

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

const show = (prefixed: string, json: boolean): Promise<void> =>
  withEngines(async ({ engines: { reads }, log }) => {
    const document = await existingAccount(reads, prefixed);
    const period = log.now().toISOString().slice(0, 7);
    const [usage, keys] = await Promise.all([reads.get(readModels.usage, usageIdOf(document.id, period)), reads.count(readModels.apiKeys, { accountId: document.id })]);
    const details = accountDetails(document, period, usage as UsageDocument | null, keys);
    print(json, details, accountText(details));
  });

/** `colophon account ...` */
export const addAccountCommands = (program: Command): void => {
  const account = program
    .command('account')
    .description('open accounts, see them, change their plan, suspend them')
    .addHelpText('after', examples('account create --name "Paper Mill" --plan starter', 'account list', 'account suspend acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M --reason "invoice 118 is unpaid"'));
  account
    .command('create')
    .description('open an account')
    .requiredOption('--name <name>', 'what to call it', oneLine)
    .addOption(planOption)
    .option('--requests-per-minute <n>', "in place of the plan's figure", positiveWhole)
    .option('--requests-per-month <n>', "in place of the plan's figure", positiveWhole)
    .option('--max-pdf-mb <n>', "in place of the plan's figure", positive)
    .addHelpText('after', examples('account create --name "Paper Mill" --plan starter', 'account create --name "Printing House" --plan enterprise --requests-per-minute 600 --max-pdf-mb 200'))
    .action((options: CreateOptions, command: Command) => create(options, wantsJson(command)));
  account
    .command('list')
    .description('all accounts')
    .action((_: unknown, command: Command) => list(wantsJson(command)));
  account
    .command('show <id>')
    .description('an account with its limits, and what it has used of this month')
    .addHelpText('after', examples('account show acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M'))
    .action((id: string, _: unknown, command: Command) => show(id, wantsJson(command)));
  addAccountChanges(account);
  addWebhookSecretCommand(account);
};

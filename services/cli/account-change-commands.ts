import { Argument } from 'commander';
import type { CliCommand } from './cli-command.ts';
import { type AccountChange, changeAccount } from '#application/accounts/commands.ts';
import { rotateWebhookSecret, webhookSecretView } from '#application/accounts/webhook-secret.ts';
import { newCause } from '#application/command-handling/aggregate.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { accountIdOf } from '#contracts/names.ts';
import { type LimitOverrides, type PlanName, planNames } from '#contracts/plans.ts';
import { projections } from '#libs/projections/all.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { loadInstallationSecrets } from '#libs/secrets/secret-file.ts';
import { changeCallersAndWait, UsageError, withEngines } from '../process/command-context.ts';
import { addLimitOptions, requireAccount, oneLine, wantsJson } from './arguments.ts';
import { print } from './output.ts';

const runAccountChange = (
  idOrName: string,
  change: AccountChange,
  { changed, unchanged }: { changed: string; unchanged: string },
  command: CliCommand,
): Promise<void> =>
  withEngines(async ({ engines, eventLog, actor }) => {
    const { id } = await requireAccount(engines.reads, idOrName);
    const { changed: isChanged, state } = await changeCallersAndWait(engines, () =>
      changeAccount(eventLog, id, change, newCause(actor, id)),
    );
    const fields =
      state.status === 'NONE'
        ? {}
        : { plan: state.plan, state: state.status === 'ACTIVE' ? 'active' : 'suspended', overrides: state.overrides };
    print(
      wantsJson(command),
      { id: accountIdOf(id), changed: isChanged, ...fields },
      `Account ${idOrName} ${isChanged ? changed : unchanged}.`,
    );
  });

type ReasonOption = { reason?: string };

const addSuspendCommand = (account: CliCommand): void =>
  void account
    .command('suspend <account>')
    .description('refuse all requests of an account with 403 account_suspended')
    .requiredOption('--reason <text>', 'the reason, shown to the caller and recorded', oneLine)
    .examples('account suspend acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M --reason "invoice 118 is unpaid"')
    .action((id: string, { reason }: { reason: string }, command: CliCommand) =>
      runAccountChange(
        id,
        { type: 'suspend', reason },
        { changed: `is suspended: ${reason}`, unchanged: 'was already suspended; its reason did not change' },
        command,
      ),
    );

const addReinstateCommand = (account: CliCommand): void =>
  void account
    .command('reinstate <account>')
    .description('accept requests of a suspended account again')
    .option('--reason <text>', 'the reason, recorded', oneLine)
    .examples('account reinstate acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M --reason "paid"')
    .action((id: string, { reason }: ReasonOption, command: CliCommand) =>
      runAccountChange(
        id,
        { type: 'reinstate', reason: reason ?? null },
        { changed: 'is active again', unchanged: 'was not suspended' },
        command,
      ),
    );

const addPlanCommand = (account: CliCommand): void => {
  const planCommand = account
    .command('plan')
    .argument('<account>', 'the id or name of the account')
    .addArgument(new Argument('<plan>', 'the new plan').choices(planNames))
    .description("change an account's plan; its own limits are replaced by those in this command");
  addLimitOptions(planCommand)
    .option('--reason <text>', 'the reason, recorded', oneLine)
    .examples(
      'account plan acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M pro',
      'account plan acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M enterprise --requests-per-minute 600 --max-pdf-mb 200 ' +
        '--reason "contract of May"',
    )
    .action(
      (id: string, plan: PlanName, { reason, ...overrides }: ReasonOption & LimitOverrides, command: CliCommand) => {
        const limits = Object.entries(overrides).map(
          ([name, value]) => `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${value}`,
        );
        const planText = [`the plan ${plan}`, ...(limits.length > 0 ? [`with ${limits.join(', ')}`] : [])].join(' ');
        return runAccountChange(
          id,
          { type: 'changePlan', plan, overrides, reason: reason ?? null },
          { changed: `is on ${planText}`, unchanged: `was already on ${planText}` },
          command,
        );
      },
    );
};

/** `colophon account suspend|reinstate|plan` */
export const addAccountChangeCommands = (account: CliCommand): void => {
  addSuspendCommand(account);
  addReinstateCommand(account);
  addPlanCommand(account);
};

const showWebhookSecret = (idOrName: string, rotate: boolean, json: boolean): Promise<void> =>
  withEngines(async ({ settings, engines: { store, reads }, eventLog, actor }) => {
    const { id } = await requireAccount(reads, idOrName);
    if (rotate) {
      await rotateWebhookSecret(eventLog, id, newCause(actor, id)).catch((error: unknown) => {
        throw error instanceof ApiError ? new UsageError(error.message) : error;
      });
      await catchUp(store, reads, projections);
    }
    const account = await requireAccount(reads, idOrName);
    const view = webhookSecretView(loadInstallationSecrets(settings), account, eventLog.now());
    print(json, view, view.secret);
    if (json) return;
    // The standard output has one secret only, so that a shell can assign it to a variable.
    for (const { secret, valid_until: until } of view.previous)
      process.stderr.write(`Callbacks are also signed with the previous secret until ${until}: ${secret}\n`);
  });

/** `colophon account webhook-secret` */
export const addWebhookSecretCommand = (account: CliCommand): void => {
  account
    .command('webhook-secret <account>')
    .description("show the secret that signs an account's callbacks")
    .examples(
      'account webhook-secret acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M',
      'account webhook-secret acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M --rotate',
    )
    .option('--rotate', 'create a new secret; for 24 hours the previous one also signs')
    .action((id: string, options: { rotate?: true }, command: CliCommand) =>
      showWebhookSecret(id, options.rotate === true, wantsJson(command)),
    );
};

import { Argument, type Command } from 'commander';
import { type AccountChange, changeAccount } from '#application/accounts/commands.ts';
import { accountState } from '#application/accounts/queries.ts';
import { type LimitOverrides, type PlanName, planNames } from '#contracts/plans.ts';
import { projections } from '#libs/projections/all.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { loadInstallationSecrets } from '#libs/secrets/secret-file.ts';
import { webhookSecrets } from '#libs/secrets/webhook-secret.ts';
import { changeCallersAndWait, withEngines } from '../process/command-context.ts';
import { examples, requireAccount, oneLine, positiveNumber, positiveInteger, wantsJson } from './arguments.ts';
import { print } from './output.ts';

type ChangeMessages = { changed: string; unchanged: string };

const runAccountChange = (
  prefixed: string,
  wish: AccountChange,
  { changed, unchanged }: ChangeMessages,
  command: Command,
): Promise<void> =>
  withEngines(async ({ engines, eventLog, actor }) => {
    const { id } = await requireAccount(engines.reads, prefixed);
    const { changed: isChanged, state } = await changeCallersAndWait(engines, () =>
      changeAccount(eventLog, actor, id, wish),
    );
    const shown =
      state.status === 'NONE'
        ? {}
        : { plan: state.plan, state: accountState(state.status), overrides: state.overrides };
    print(
      wantsJson(command),
      { id: prefixed, changed: isChanged, ...shown },
      `Account ${prefixed} ${isChanged ? changed : unchanged}.`,
    );
  });

const toOptionName = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

type ReasonOption = { reason?: string };

const addSuspendCommand = (account: Command): void =>
  void account
    .command('suspend <id>')
    .description('refuse every request of an account from now on, with 403 account_suspended')
    .requiredOption('--reason <text>', 'why; the caller is told, and the log keeps it', oneLine)
    .addHelpText('after', examples('account suspend acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M --reason "invoice 118 is unpaid"'))
    .action((id: string, { reason }: { reason: string }, command: Command) =>
      runAccountChange(
        id,
        { type: 'suspend', reason },
        { changed: `is suspended: ${reason}`, unchanged: 'was suspended before; the reason stays as it was' },
        command,
      ),
    );

const addReinstateCommand = (account: Command): void =>
  void account
    .command('reinstate <id>')
    .description('let a suspended account in again')
    .option('--reason <text>', 'why, for the record', oneLine)
    .addHelpText('after', examples('account reinstate acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M --reason "paid"'))
    .action((id: string, { reason }: ReasonOption, command: Command) =>
      runAccountChange(
        id,
        { type: 'reinstate', reason: reason ?? null },
        { changed: 'is active again', unchanged: 'was not suspended' },
        command,
      ),
    );

const addPlanCommand = (account: Command): void =>
  void account
    .command('plan')
    .argument('<id>', 'the account')
    .addArgument(new Argument('<plan>', 'its plan from now on').choices(planNames))
    .description("change an account's plan. Figures of its own that are not named again fall away")
    .option('--requests-per-minute <n>', "in place of the plan's figure", positiveInteger)
    .option('--requests-per-month <n>', "in place of the plan's figure", positiveInteger)
    .option('--max-pdf-mb <n>', "in place of the plan's figure", positiveNumber)
    .option('--reason <text>', 'why, for the record', oneLine)
    .addHelpText(
      'after',
      examples(
        'account plan acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M pro',
        'account plan acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M enterprise --requests-per-minute 600 --max-pdf-mb 200 --reason "contract of May"',
      ),
    )
    .action((id: string, plan: PlanName, { reason, ...overrides }: ReasonOption & LimitOverrides, command: Command) => {
      const own = Object.entries(overrides).map(([name, value]) => `${toOptionName(name)} ${value}`);
      const terms = [`the plan ${plan}`, ...(own.length > 0 ? [`with ${own.join(', ')}`] : [])].join(' ');
      return runAccountChange(
        id,
        { type: 'changePlan', plan, overrides, reason: reason ?? null },
        { changed: `is on ${terms}`, unchanged: `was on ${terms} before` },
        command,
      );
    });

/** `colophon account suspend|reinstate|plan`: each an event with its reason and who did it, in force at once. */
export const addAccountChangeCommands = (account: Command): void => {
  addSuspendCommand(account);
  addReinstateCommand(account);
  addPlanCommand(account);
};

const showWebhookSecret = (prefixed: string, rotate: boolean, json: boolean): Promise<void> =>
  withEngines(async ({ settings, engines: { store, reads }, eventLog, actor }) => {
    const { id } = await requireAccount(reads, prefixed);
    if (rotate) {
      await changeAccount(eventLog, actor, id, { type: 'rotateWebhookSecret' });
      await catchUp(store, reads, projections);
    }
    const [secret] = webhookSecrets(
      loadInstallationSecrets(settings),
      await requireAccount(reads, prefixed),
      eventLog.now(),
    );
    print(
      json,
      { secret },
      rotate ? `${secret}\n\nFor 24 hours callbacks are signed with the former secret too.` : secret,
    );
  });

/** `colophon account webhook-secret` */
export const addWebhookSecretCommand = (account: Command): void => {
  account
    .command('webhook-secret <id>')
    .description("the secret that an account's callbacks are signed with")
    .addHelpText(
      'after',
      examples(
        'account webhook-secret acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M',
        'account webhook-secret acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M --rotate',
      ),
    )
    .option('--rotate', 'take a new one; for 24 hours the former one signs too')
    .action((id: string, options: { rotate?: true }, command: Command) =>
      showWebhookSecret(id, options.rotate === true, wantsJson(command)),
    );
};

import type { Command } from 'commander';
import { streams } from '#contracts/names.ts';
import { causeOf } from '#application/accounts/commands.ts';
import { account } from '#libs/domain/account.ts';
import { load } from '#application/handling/handle.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { projections } from '#libs/projections/all.ts';
import { openServiceSecrets } from '#libs/secrets/secret-file.ts';
import { webhookSecrets } from '#libs/secrets/webhook-secret.ts';
import { examples, wantsJson } from './arguments.ts';
import { withEngines } from '../process/command-context.ts';
import { existingAccount } from './find.ts';
import { print } from './output.ts';

const show = (prefixed: string, rotate: boolean, json: boolean): Promise<void> =>
  withEngines(async ({ settings, engines: { store, reads }, log, actor }) => {
    const { id } = await existingAccount(reads, prefixed);
    if (rotate) {
      const { aggregate } = await load(log, account, streams.account(id));
      await aggregate.execute({ type: 'rotateWebhookSecret' }, causeOf(actor, id));
      await catchUp(store, reads.writer(), projections);
    }
    const [secret] = webhookSecrets(openServiceSecrets(settings), await existingAccount(reads, prefixed), log.now());
    print(json, { secret }, rotate ? `${secret}\n\nFor 24 hours callbacks are signed with the former secret too.` : secret);
  });

/** `colophon account webhook-secret` */
export const addWebhookSecretCommand = (account: Command): void => {
  account
    .command('webhook-secret <id>')
    .description("the secret that an account's callbacks are signed with")
    .addHelpText('after', examples('account webhook-secret acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M', 'account webhook-secret acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M --rotate'))
    .option('--rotate', 'take a new one; for 24 hours the former one signs too')
    .action((id: string, options: { rotate?: true }, command: Command) => show(id, options.rotate === true, wantsJson(command)));
};

import { Option } from 'commander';
import type { CliCommand } from './cli-command.ts';
import { installExample, type InstallResult } from '#application/templates/install-examples.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { templateIdOf } from '#contracts/names.ts';
import { exampleNames, invoiceExample, readExamples } from '#libs/templating/examples.ts';
import { changeCallersAndWait, UsageError, withEngines } from '../process/command-context.ts';
import { requireAccountOrOnly, wantsJson } from './arguments.ts';
import { print, table } from './output.ts';

type InstallOptions = { account?: string; name?: string; replace?: true };

const resultTexts = {
  created: 'created',
  updated: 'new version',
  unchanged: 'exists already',
  kept: 'kept: the account has changed it (--replace makes a new version)',
} as const;

const install = ({ account: idOrName, name, replace }: InstallOptions, json: boolean): Promise<void> =>
  withEngines(async ({ engines, eventLog, actor }) => {
    const { reads, blobs } = engines;
    const account = await requireAccountOrOnly(reads, idOrName);
    const chosen = (await readExamples()).filter(({ folder }) => name === undefined || folder === name);
    const { openDocumentPreparation } = await import('#libs/documents/document-preparation.ts');
    const preparation = openDocumentPreparation({ processes: 1 });
    const person = actor.kind === 'key' ? actor.id : actor.name;
    const results: InstallResult[] = [];
    try {
      await changeCallersAndWait(engines, async () => {
        for (const example of chosen)
          results.push(
            await installExample({ eventLog, reads, blobs, preparation }, account, example, {
              person,
              replace: replace === true,
            }),
          );
      });
    } catch (error) {
      throw error instanceof ApiError ? new UsageError(error.message) : error;
    } finally {
      await preparation.close();
    }
    const rows = results.map(({ id, ...row }) => ({ id: templateIdOf(id), ...row }));
    print(json, rows, table(rows.map((row) => ({ ...row, result: resultTexts[row.result] }))));
  });

/** `colophon template install-examples` */
export const addInstallExamplesCommand = (template: CliCommand): void =>
  void template
    .command('install-examples')
    .description('give an account the templates delivered with Colophon, or the new versions of them')
    .option('--account <account>', 'the id or name of the account; not needed if there is only one')
    .addOption(new Option('--name <example>', 'only this example').choices([...exampleNames, invoiceExample]))
    .option('--replace', 'also make a new version of an example that the account has changed')
    .examples('template install-examples', 'template install-examples --account "Paper Mill" --name invoice')
    .action((options: InstallOptions, command: CliCommand) => install(options, wantsJson(command)));

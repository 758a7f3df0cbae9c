import { InvalidArgumentError } from 'commander';
import type { CliCommand } from './cli-command.ts';
import type { z } from 'zod';
import { changeAccount } from '#application/accounts/commands.ts';
import { isAllowedRetention, pdfRetention, pdfRetentionMinutes } from '#application/accounts/render-settings.ts';
import { newCause } from '#application/command-handling/aggregate.ts';
import type { AccountSettings } from '#contracts/events/account.ts';
import { localeTag, timeZoneName } from '#contracts/http/locale.ts';
import { accountIdOf } from '#contracts/names.ts';
import { defaultAccountSettings } from '#libs/domain/account.ts';
import { changeCallersAndWait, UsageError, withEngines } from '../process/command-context.ts';
import { requireAccount, oneLine, positiveInteger, wantsJson } from './arguments.ts';
import { print } from './output.ts';

const noChoice = 'default';

/** The value of an option; null for the word `default`. Commander itself replaces null by an empty text. */
type Choice<T> = { value: T | null };

const orDefault =
  <T>(parse: (text: string) => T) =>
  (text: string): Choice<T> => ({ value: text === noChoice ? null : parse(text) });

const parsedBy =
  (schema: z.ZodType<string>) =>
  (text: string): string => {
    const { success, data, error } = schema.safeParse(text);
    if (!success) throw new InvalidArgumentError(`It ${error.issues[0]!.message}.`);
    return data;
  };

type SettingsOptions = {
  name?: string;
  locale?: Choice<string>;
  timeZone?: Choice<string>;
  pdfRetentionMinutes?: Choice<number>;
};

const settingsOf = ({ locale, timeZone, pdfRetentionMinutes }: SettingsOptions): Partial<AccountSettings> => ({
  ...(locale && { locale: locale.value }),
  ...(timeZone && { timeZone: timeZone.value }),
  ...(pdfRetentionMinutes && { pdfRetentionMinutes: pdfRetentionMinutes.value }),
});

const settingsView = (id: string, name: string, settings: AccountSettings, maxMinutes: number) => ({
  id: accountIdOf(id),
  name,
  locale: settings.locale,
  time_zone: settings.timeZone,
  pdf_retention_minutes: settings.pdfRetentionMinutes,
  applied_pdf_retention_minutes: pdfRetentionMinutes(settings, maxMinutes),
});

const settingsText = (view: ReturnType<typeof settingsView>): string =>
  [
    `name           ${view.name}`,
    `locale         ${view.locale ?? 'default'}`,
    `time zone      ${view.time_zone ?? 'default (UTC)'}`,
    `PDFs are kept  ${view.applied_pdf_retention_minutes} minutes`,
  ].join('\n');

const runSettingsCommand = (idOrName: string, options: SettingsOptions, json: boolean): Promise<void> =>
  withEngines(async ({ settings: { maxPdfRetentionMinutes: maxMinutes }, engines, eventLog, actor }) => {
    const { name } = options;
    const settings = settingsOf(options);
    if (!isAllowedRetention(settings.pdfRetentionMinutes, maxMinutes))
      throw new UsageError(
        `--pdf-retention-minutes must be from ${pdfRetention.minMinutes} to ${maxMinutes}, the value of ` +
          'MAX_PDF_RETENTION_MINUTES.',
      );
    const { id } = await requireAccount(engines.reads, idOrName);
    if (name !== undefined || Object.keys(settings).length > 0)
      await changeCallersAndWait(engines, () =>
        changeAccount(eventLog, id, { type: 'changeSettings', name, settings }, newCause(actor, id)),
      );
    const account = await requireAccount(engines.reads, accountIdOf(id));
    const view = settingsView(id, account.name, account.settings ?? defaultAccountSettings, maxMinutes);
    print(json, view, settingsText(view));
  });

/** `colophon account settings` */
export const addAccountSettingsCommand = (account: CliCommand): void =>
  void account
    .command('settings <account>')
    .description('show the settings of an account, after changing those that are named')
    .option('--name <name>', 'the name of the account', oneLine)
    .option('--locale <tag>', `the default locale of renders, or "${noChoice}"`, orDefault(parsedBy(localeTag)))
    .option(
      '--time-zone <name>',
      `the default time zone of renders, or "${noChoice}"`,
      orDefault(parsedBy(timeZoneName)),
    )
    .option('--pdf-retention-minutes <n>', `how long PDFs are kept, or "${noChoice}"`, orDefault(positiveInteger))
    .examples(
      'account settings default',
      'account settings default --locale de-AT --time-zone Europe/Vienna',
      'account settings default --pdf-retention-minutes 1440',
    )
    .action((idOrName: string, options: SettingsOptions, command: CliCommand) =>
      runSettingsCommand(idOrName, options, wantsJson(command)),
    );

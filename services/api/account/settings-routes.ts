import {
  type AccountSettingsRequest,
  accountSettingsRequest,
  type AccountSettingsResponse,
  accountSettingsResponse,
} from '#contracts/http/account.ts';
import { invalidField } from '#contracts/http/api-error.ts';
import { readModels } from '#contracts/names.ts';
import { changeAccount } from '#application/accounts/commands.ts';
import { isAllowedRetention, pdfRetention, pdfRetentionMinutes } from '#application/accounts/render-settings.ts';
import type { AccountSettings } from '#contracts/events/account.ts';
import { defaultAccountSettings } from '#libs/domain/account.ts';
import { settingTable } from '#libs/config/setting-table.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { waitUntilCallersSee } from '../server/changed-callers.ts';
import { nameSchema, route, type Route, ok } from '../server/route.ts';

const settingsView = (
  name: string,
  settings: AccountSettings,
  { maxPdfRetentionMinutes, egressView }: Dependencies,
): AccountSettingsResponse => ({
  name,
  locale: settings.locale,
  time_zone: settings.timeZone,
  pdf_retention_minutes: settings.pdfRetentionMinutes,
  pdf_retention: {
    applied_minutes: pdfRetentionMinutes(settings, maxPdfRetentionMinutes),
    default_minutes: Math.min(pdfRetention.defaultMinutes, maxPdfRetentionMinutes),
    min_minutes: pdfRetention.minMinutes,
    max_minutes: maxPdfRetentionMinutes,
  },
  egress: {
    setting: settingTable.egressAllow.variable,
    allowed: [...egressView.allowed],
    has_own_authorities: egressView.hasOwnAuthorities,
  },
});

const changeOf = ({ locale, time_zone, pdf_retention_minutes }: AccountSettingsRequest): Partial<AccountSettings> => ({
  ...(locale !== undefined && { locale }),
  ...(time_zone !== undefined && { timeZone: time_zone }),
  ...(pdf_retention_minutes !== undefined && { pdfRetentionMinutes: pdf_retention_minutes }),
});

const settingsSchema = nameSchema('AccountSettings', accountSettingsResponse);

/** The settings of the account. */
export const accountSettingsRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/account/settings',
    operationId: 'getAccountSettings',
    tag: 'Account',
    summary: 'Read the settings of the account',
    description:
      'Returns the name, the default locale and time zone, how long PDFs are kept, and what the operator of the service ' +
      'allows documents and callbacks to reach.',
    permission: 'usage:read',
    responses: [ok('The settings.', settingsSchema)],
    handle: async ({ account }, dependencies) =>
      settingsView(account.name, account.settings ?? defaultAccountSettings, dependencies),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/account/settings',
    operationId: 'changeAccountSettings',
    tag: 'Account',
    summary: 'Change the settings of the account',
    description:
      'Changes the fields of the body; the others stay as they are. If two requests change the same field, the later one ' +
      'wins; the history of the account shows both. Locale, time zone and retention apply to renders that are accepted ' +
      'after this response, in all processes of the service. If the service is busy, they can apply a moment later. ' +
      'Every render records the values that applied to it, so a repeated render and the verification of an earlier ' +
      'one do not depend on later changes.',
    permission: 'account:write',
    request: {
      body: nameSchema('ChangeAccountSettings', accountSettingsRequest),
      examples: {
        austria: { summary: 'For Austria', value: { locale: 'de-AT', time_zone: 'Europe/Vienna' } },
        retention: { summary: 'Keep PDFs for a day', value: { pdf_retention_minutes: 1440 } },
      },
    },
    responses: [ok('The settings after the change.', settingsSchema)],
    handle: async ({ account, cause, body }, dependencies) => {
      const { eventLog, maxPdfRetentionMinutes } = dependencies;
      if (!isAllowedRetention(body.pdf_retention_minutes, maxPdfRetentionMinutes))
        throw invalidField(
          'pdf_retention_minutes',
          `pdf_retention_minutes must be from ${pdfRetention.minMinutes} to ${maxPdfRetentionMinutes}, or null.`,
        );
      const command = { type: 'changeSettings', name: body.name, settings: changeOf(body) } as const;
      const { state, position } = await changeAccount(eventLog, account.id, command, cause);
      // The settings are stored, so the response does not fail if the read model is late.
      if (position !== null)
        await waitUntilCallersSee(dependencies, account.id, position, readModels.accounts).catch(() => undefined);
      if (state.status === 'NONE') throw new Error(`account ${account.id} has no events`);
      return settingsView(state.name, state.settings, dependencies);
    },
  }),
];

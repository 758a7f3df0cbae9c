import type { AccountSettings } from '#contracts/events/account.ts';
import type { RenderAccountDefaults } from '#contracts/events/render-request.ts';
import type { NamedRenderOptions } from '#contracts/http/render-options.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';

/** How long a kept PDF is stored unless the account says otherwise, and the shortest time that it can choose. */
export const pdfRetention = { defaultMinutes: 60, minMinutes: 10 } as const;

/** Whether an account can choose this time. Null and undefined stand for the default. */
export const isAllowedRetention = (minutes: number | null | undefined, maxMinutes: number): boolean =>
  minutes === null || minutes === undefined || (minutes >= pdfRetention.minMinutes && minutes <= maxMinutes);

/** How long the kept PDF of a render is stored, in minutes. `maxMinutes` is the limit that the operator sets. */
export const pdfRetentionMinutes = (
  settings: Pick<AccountSettings, 'pdfRetentionMinutes'> | undefined,
  maxMinutes: number,
): number => Math.min(settings?.pdfRetentionMinutes ?? pdfRetention.defaultMinutes, maxMinutes);

/**
 * The locale and time zone of the account for a render with these options of request and template; undefined if the
 * account has none, or the options name them.
 */
export const accountDefaultsFor = (
  { settings }: Pick<AccountDocument, 'settings'>,
  options: NamedRenderOptions,
): RenderAccountDefaults | undefined => {
  if (!settings) return undefined;
  const { locale, timeZone } = settings;
  const defaults = {
    ...(locale !== null && options.locale === undefined && { locale }),
    ...(timeZone !== null && options.time_zone === undefined && { timeZone }),
  };
  return Object.keys(defaults).length === 0 ? undefined : defaults;
};

import { z } from 'zod';
import { limitOverrides, planNames } from '../plans.ts';
import { identifier, list, text } from './bounded.ts';
import type { EventsIn } from './metadata.ts';

/** The permissions of a key that is issued without a list: everything that documents need. */
export const defaultKeyPermissions = [
  'render:create',
  'templates:read',
  'templates:write',
  'templates:delete',
  'jobs:read',
  'usage:read',
] as const;

/** The others administer the account. A key has them only if they are named when it is issued. */
export const permissions = [
  ...defaultKeyPermissions,
  'keys:read',
  'keys:write',
  'webhook_secret:read',
  'webhook_secret:write',
  'events:read',
  'members:read',
  'members:write',
  'account:write',
] as const;
export type Permission = (typeof permissions)[number];

/**
 * What an account chooses for its renders. Null: the default of the service. `pdfRetentionMinutes` is how long a kept
 * PDF is stored.
 */
export const accountSettings = z.object({
  locale: identifier().nullable(),
  timeZone: identifier().nullable(),
  pdfRetentionMinutes: z.number().int().nullable(),
});
export type AccountSettings = z.output<typeof accountSettings>;

export const accountEvents = {
  AccountOpened: z.object({ name: text(1500), plan: z.enum(planNames), overrides: limitOverrides }),
  PlanChanged: z.object({ plan: z.enum(planNames), overrides: limitOverrides, reason: text(1500).nullable() }),
  AccountSuspended: z.object({ reason: text(1500) }),
  AccountReinstated: z.object({ reason: text(1500).nullable() }),
  AccountRenamed: z.object({ name: text(1500) }),
  /** All settings after the change. They apply to renders that are accepted later. */
  AccountSettingsChanged: accountSettings,
  /**
   * The webhook secret is derived from the installation secret, the account and this number; the event log holds no
   * secret.
   */
  WebhookSecretRotated: z.object({
    generation: z.number().int(),
    /** Until when callbacks are also signed with the secret of the generation before. */
    previousValidUntil: identifier(),
  }),
} as const;

export type AccountEvent = EventsIn<typeof accountEvents>;

export const apiKeyEvents = {
  ApiKeyIssued: z.object({
    accountId: identifier(),
    name: text(1500),
    keyType: z.enum(['live', 'test']),
    /** SHA-256 of the whole key, in hex. */
    hash: identifier(),
    /** The first characters of the key, to recognise it. */
    prefix: identifier(),
    permissions: list(z.enum(permissions), permissions.length),
    expiresAt: identifier().nullable(),
  }),
  ApiKeyRevoked: z.object({ reason: text(1500).nullable() }),
} as const;

export type ApiKeyEvent = EventsIn<typeof apiKeyEvents>;

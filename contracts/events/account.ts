import { z } from 'zod';
import { limitOverrides, planNames } from '../plans.ts';
import { identifier, list, text } from './bounded.ts';
import type { EventsIn } from './metadata.ts';

export const permissions = [
  'render:create',
  'templates:read',
  'templates:write',
  'templates:delete',
  'jobs:read',
  'usage:read',
] as const;
export type Permission = (typeof permissions)[number];

export const accountEvents = {
  AccountOpened: z.object({ name: text(1500), plan: z.enum(planNames), overrides: limitOverrides }),
  PlanChanged: z.object({ plan: z.enum(planNames), overrides: limitOverrides, reason: text(1500).nullable() }),
  AccountSuspended: z.object({ reason: text(1500) }),
  AccountReinstated: z.object({ reason: text(1500).nullable() }),
  /**
   * The webhook secret is derived from the installation secret, the account and this number; the event log holds no
   * secret.
   */
  WebhookSecretRotated: z.object({ generation: z.number().int() }),
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

import { z } from 'zod';
import { defaultKeyPermissions, permissions } from '../events/account.ts';
import { actorResponse } from './actor.ts';
import { time } from './instant.ts';
import { listCursor, listQuery } from './jobs.ts';

const timestamp = z.string().describe('ISO 8601, UTC.');
const count = z.number().int();

/** How many API keys of an account can be in use at once. Revoked and expired keys do not count. */
export const maxKeysPerAccount = 1_000;

const keyStates = ['active', 'revoked', 'expired'] as const;
export type KeyState = (typeof keyStates)[number];
const keyTypes = ['live', 'test'] as const;

const counts = {
  requests: count.describe('Requests of any kind. The last second may be missing.'),
  renders: count.describe('Accepted renders.'),
  succeeded: count.describe('Renders that have succeeded.'),
  failed: count.describe('Renders that have failed.'),
  quota: count.describe('Renders that count toward the quota of the account.'),
};

/** An API key without its secret. */
export const keyResponse = z.object({
  id: z.string().describe('key_<id>'),
  prefix: z.string().describe('The first characters of the key, to recognise it.'),
  name: z.string(),
  type: z.enum(keyTypes),
  state: z.enum(keyStates),
  created_at: timestamp,
  created_by: actorResponse,
  expires_at: timestamp.nullable().describe('null if the key does not expire.'),
  revoked_at: timestamp.nullable(),
  permissions: z.array(z.enum(permissions)),
  last_used_at: timestamp.nullable().describe('The last request with the key; null before the first one.'),
  period: z.object({
    month: z.string().describe('YYYY-MM, UTC.'),
    ...counts,
    quota_share: z
      .number()
      .nullable()
      .describe('The part of the monthly quota that the key has used, 0 to 1; null if the quota is unlimited.'),
  }),
  total: z.object(counts),
});
export type KeyResponse = z.output<typeof keyResponse>;

const period = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month written YYYY-MM, such as 2026-03')
  .optional()
  .describe('The month of `period`, YYYY-MM, in UTC. Default: the current month.');

export const listKeysQuery = z.strictObject({
  state: z.enum(keyStates).optional(),
  type: z.enum(keyTypes).optional(),
  period,
  limit: listQuery.limit,
  cursor: listCursor('key'),
});

export const readKeyQuery = z.strictObject({ period });

export const keyListResponse = z.object({
  keys: z.array(keyResponse).describe('Newest first.'),
  next_cursor: z.string().nullable().describe('Null on the last page.'),
});

const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}]/u;

export const createKeyRequest = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .refine((name) => !controlCharacters.test(name), 'must be one line of text'),
  type: z.enum(keyTypes).describe('Renders of live keys count toward the quota, those of test keys do not.'),
  permissions: z
    .array(z.enum(permissions))
    .max(permissions.length)
    .transform((granted) => [...new Set(granted)])
    .default([...defaultKeyPermissions])
    .describe('At most the permissions that you have yourself. Default: everything that documents need.'),
  expires_at: time.nullable().default(null).describe('When the key expires, a time in the future. Default: never.'),
});
export type CreateKeyRequest = z.output<typeof createKeyRequest>;

/** 201 of POST /keys. */
export const createdKeyResponse = keyResponse.extend({
  key: z
    .string()
    .nullable()
    .describe(
      'The key itself. It is shown only in this response and not stored: null if a request is repeated with the same ' +
        'Idempotency-Key.',
    ),
});
export type CreatedKeyResponse = z.output<typeof createdKeyResponse>;

export const revokeKeyQuery = z.strictObject({
  reason: z.string().trim().min(1).max(200).optional().describe('Why the key is revoked. It is recorded.'),
});

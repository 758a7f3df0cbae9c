import { z } from 'zod';
import { permissions } from '../events/account.ts';
import { signInMethods } from '../events/people.ts';
import { roles } from '../roles.ts';
import { listCursor, listQuery } from './jobs.ts';

const timestamp = z.iso.datetime({ offset: true });
const method = z.enum(signInMethods).describe('How the person signed in.');

/** A person who is signed in. */
const personView = z.object({
  id: z.string().describe('person_<id>'),
  email: z.string().nullable(),
  name: z.string(),
  operator: z.boolean().describe('Whether the person may do everything in every account.'),
  passkeys: z.number().int().describe('The number of passkeys.'),
});

const accountOfPerson = z.object({
  id: z.string().describe('acc_<id>'),
  name: z.string(),
  state: z.enum(['active', 'suspended']),
  role: z.enum(roles).nullable().describe('The role in the account; null for an operator who is not a member.'),
});

/** 200 of GET /session, 201 of a sign-in. */
export const sessionResponse = z.object({
  person: personView,
  session: z.object({ id: z.string().describe('session_<id>'), method, expires_at: timestamp }),
  accounts: z.array(accountOfPerson).describe('The accounts of which the person is a member; at most 1000.'),
  account: accountOfPerson
    .extend({
      suspended_at: timestamp.nullable(),
      reason: z.string().nullable().describe('Why the account is suspended.'),
      permissions: z.array(z.enum(permissions)),
    })
    .nullable()
    .describe('The account that requests without X-Colophon-Account act for, or the one that the header names.'),
});
export type SessionResponse = z.output<typeof sessionResponse>;

/** POST /session. */
export const signInRequest = z.object({
  token: z.string().min(1).max(200).describe('The token of a one-time link: the text after # in its address.'),
});

/** GET /session/methods. */
export const signInMethodsResponse = z.object({
  link: z.boolean(),
  passkey: z.boolean(),
  oidc: z.boolean().describe('Whether people can sign in with an identity provider.'),
});
export type SignInMethodsResponse = z.output<typeof signInMethodsResponse>;

export const listSessionsQuery = z.strictObject({ limit: listQuery.limit, cursor: listCursor('session') });

/** 200 of GET /session/sessions. */
export const sessionListResponse = z.object({
  sessions: z
    .array(
      z.object({
        id: z.string().describe('session_<id>'),
        current: z.boolean().describe('Whether this request belongs to the session.'),
        method,
        user_agent: z.string().nullable(),
        started_at: timestamp,
        last_used_at: timestamp.describe('At most 15 minutes old.'),
        expires_at: timestamp.describe('When the session ends unless it is used.'),
      }),
    )
    .describe('The newest first.'),
  next_cursor: z.string().nullable().describe('null on the last page.'),
});
export type SessionListResponse = z.output<typeof sessionListResponse>;

/** DELETE /session/sessions and DELETE /session/sessions/{session_id}. */
export const revokedSessionsResponse = z.object({ revoked: z.number().int() });
export type RevokedSessionsResponse = z.output<typeof revokedSessionsResponse>;

export const sessionParams = z.object({ session_id: z.string().describe('session_<id>') });

/** The account that a person acts for. */
export const accountHeaders = z.object({
  'X-Colophon-Account': z.string().optional().describe('acc_<id> of the account that a signed-in person acts for.'),
});

import { z } from 'zod';
import { membershipSources } from '../events/members.ts';
import { ulidPattern } from '../names.ts';
import { roles } from '../roles.ts';
import { actorResponse } from './actor.ts';
import { listQuery } from './jobs.ts';

const timestamp = z.string().describe('ISO 8601, UTC.');
const role = z
  .enum(roles)
  .describe('`owner` may do everything, `developer` all except people and settings, `viewer` reads.');

/** A member of the account. */
export const memberResponse = z.object({
  id: z.string().describe('person_<id>'),
  name: z.string(),
  email: z.string().nullable().describe('null for a person without one, such as a user of the machine.'),
  role,
  source: z
    .enum(membershipSources)
    .describe('How the person became a member: by a one-time link, an invitation, or groups of the identity provider.'),
  joined_at: timestamp,
  last_sign_in_at: timestamp.nullable(),
});
export type MemberResponse = z.output<typeof memberResponse>;

export const listMembersQuery = z.strictObject({
  limit: listQuery.limit,
  cursor: z
    .string()
    .regex(new RegExp(`^\\d{1,15}-${ulidPattern}$`), 'must be the next_cursor of a page')
    .optional()
    .describe('next_cursor of the previous page.'),
});

/** 200 of GET /members. */
export const memberListResponse = z.object({
  members: z.array(memberResponse).describe('The one who joined first comes first.'),
  next_cursor: z.string().nullable().describe('null on the last page.'),
});
export type MemberListResponse = z.output<typeof memberListResponse>;

export const changeMemberRequest = z.strictObject({ role });

const invitationResponse = z.object({
  id: z.string().describe('inv_<id>'),
  email: z.string(),
  role,
  state: z.enum(['open', 'expired']),
  invited_at: timestamp,
  invited_by: actorResponse,
  expires_at: timestamp,
});
export type InvitationResponse = z.output<typeof invitationResponse>;

/** 200 of GET /invitations. */
export const invitationListResponse = z.object({
  invitations: z
    .array(invitationResponse)
    .describe('Those that were neither accepted nor withdrawn, the newest first; at most 100.'),
});
export type InvitationListResponse = z.output<typeof invitationListResponse>;

const email = z.string().trim().max(254).pipe(z.email('must be an email address'));

export const inviteMemberRequest = z.strictObject({ email, role });

/** 201 of POST /invitations. */
export const createdInvitationResponse = invitationResponse.extend({
  url: z.string().describe('The link to pass on. It is shown only now, works for 7 days, and can be used once.'),
});
export type CreatedInvitationResponse = z.output<typeof createdInvitationResponse>;

/** Body of POST /invitations/preview and POST /invitations/accept. */
export const invitationTokenRequest = z.strictObject({
  token: z.string().min(1).max(200).describe('The text after # in the link of the invitation.'),
});

/** 200 of POST /invitations/preview. */
export const invitationPreviewResponse = z.object({
  account_name: z.string(),
  email: z.string(),
  role,
  expires_at: timestamp,
  signed_in_as: z
    .object({ name: z.string(), email: z.string().nullable(), is_invited: z.boolean() })
    .nullable()
    .describe('Who is signed in, and whether the invitation is for this person; null without a session.'),
});
export type InvitationPreviewResponse = z.output<typeof invitationPreviewResponse>;

/** 200 of POST /invitations/accept. */
export const acceptedInvitationResponse = z.object({
  account_id: z.string().describe('acc_<id>'),
  person_id: z.string().describe('person_<id>'),
  role,
});
export type AcceptedInvitationResponse = z.output<typeof acceptedInvitationResponse>;

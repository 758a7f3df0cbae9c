import { z } from 'zod';
import { roles } from '../roles.ts';
import { identifier, text } from './bounded.ts';
import type { EventsIn } from './metadata.ts';

/** How a person became a member: by a one-time link, by an invitation, or by the groups of the identity provider. */
export const membershipSources = ['link', 'invitation', 'groups'] as const;
export type MembershipSource = (typeof membershipSources)[number];

/** The members of an account, and who is invited. The stream has the id of the account. */
export const memberEvents = {
  MemberInvited: z.object({
    invitationId: identifier(),
    /** In lower case and Unicode NFC; an address has at most 254 characters. */
    email: text(1600),
    role: z.enum(roles),
    /** SHA-256 of the secret of the link, in hex. */
    tokenHash: identifier(),
    expiresAt: identifier(),
  }),
  /** By a person, or because a newer invitation for the same email replaces it. */
  InvitationWithdrawn: z.object({ invitationId: identifier() }),
  MemberJoined: z.object({
    personId: identifier(),
    role: z.enum(roles),
    source: z.enum(membershipSources),
    /** The invitation that the person accepted. */
    invitationId: identifier().optional(),
  }),
  MemberRoleChanged: z.object({ personId: identifier(), role: z.enum(roles), source: z.enum(membershipSources) }),
  MemberRemoved: z.object({ personId: identifier() }),
} as const;

export type MemberEvent = EventsIn<typeof memberEvents>;

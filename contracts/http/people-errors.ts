import { z } from 'zod';
import { defineError } from './define-error.ts';

/** The errors of sign-in, sessions, members and invitations. */
export const peopleErrors = {
  invalid_session: defineError(401, 'The person is not signed in, or the session has ended.'),
  invalid_sign_in_link: defineError(401, 'There is no such sign-in link.'),
  expired_sign_in_link: defineError(401, 'The sign-in link has expired.'),
  used_sign_in_link: defineError(401, 'The sign-in link has been used.'),
  sign_in_failed: defineError(401, 'The passkey or the identity provider did not confirm the person.'),
  cross_origin_request: defineError(403, 'A request with a session must come from a page of the service itself.'),
  account_not_found: defineError(404, 'There is no such account, or the person is not a member of it.'),
  session_not_found: defineError(404, 'The person has no such session.'),
  passkey_not_found: defineError(404, 'The person has no such passkey.'),
  passkey_conflict: defineError(409, 'The passkey cannot be added: it exists already, or the person has too many.'),
  member_not_found: defineError(404, 'The account has no such member.'),
  invitation_not_found: defineError(404, 'There is no such invitation, or it was accepted or withdrawn.'),
  already_member: defineError(409, 'The person is already a member of the account.'),
  last_owner: defineError(409, 'The last owner of an account can neither leave nor get another role.'),
  operator_not_found: defineError(404, 'There is no such operator.'),
  operator_managed_by_groups: defineError(409, 'The groups of the identity provider decide who is an operator.'),
  member_managed_by_groups: defineError(409, 'The groups of the identity provider decide the role of the member.'),
  expired_invitation: defineError(409, 'The invitation has expired.', { expired_at: z.string() }),
  invitation_for_another_email: defineError(403, 'The signed-in person is not the one whom the invitation names.', {
    email: z.string(),
    signed_in_as: z.string(),
  }),
  member_limit_exceeded: defineError(403, 'The account has reached its limit of members.', { limit: z.number() }),
  invitation_limit_exceeded: defineError(403, 'The account has reached its limit of open invitations.', {
    limit: z.number(),
  }),
} as const;

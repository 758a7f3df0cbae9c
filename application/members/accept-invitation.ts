import { ApiError } from '#contracts/http/api-error.ts';
import { type Cause, type EventLog, newCause } from '#application/command-handling/aggregate.ts';
import { personIdFrom } from '#application/people/identity.ts';
import { actorOf, type SignedInPerson } from '#application/people/people.ts';
import { endSession } from '#application/people/sessions.ts';
import { registerPerson, type SignIn, type SignInOrigin, startSignedInSession } from '#application/people/sign-in.ts';
import { isFull, maxMembers, membershipOf } from '#libs/domain/members.ts';
import { newId } from '#libs/ids/ulids.ts';
import { changeMembers, type FoundInvitation } from './commands.ts';

export const invitationNotFound = (): ApiError =>
  ApiError.of(
    'invitation_not_found',
    'There is no such invitation, or it was accepted or withdrawn. Check that the whole link was copied, or ask for a ' +
      'new one.',
  );

/** @throws ApiError expired_invitation */
export const requireValidInvitation = ({ invitation }: FoundInvitation, now: Date): void => {
  if (now.toISOString() < invitation.expiresAt) return;
  const { expiresAt } = invitation;
  throw ApiError.of('expired_invitation', 'The invitation has expired. Ask for a new one.', { expired_at: expiresAt });
};

export const memberLimitExceeded = (): ApiError =>
  ApiError.of('member_limit_exceeded', `The account has ${maxMembers} members. Remove those who left.`, {
    limit: maxMembers,
  });

/** Uses the invitation. Resolves to the position of the event. @throws ApiError why it has no effect */
const accept = async (
  eventLog: EventLog,
  { accountId, invitationId }: FoundInvitation,
  personId: string,
  cause: Cause,
): Promise<number> => {
  const command = { type: 'accept', invitationId, personId, now: eventLog.now().toISOString() } as const;
  const { position, state } = await changeMembers(eventLog, accountId, command, cause);
  if (position !== null) return position;
  if (membershipOf(state, personId)) throw ApiError.of('already_member', 'You are a member of the account already.');
  throw isFull(state) ? memberLimitExceeded() : invitationNotFound();
};

/** Whether the person is the one whom the invitation names. The link itself is the proof; the email avoids mistakes. */
export const isInvited = ({ invitation }: FoundInvitation, { email }: Pick<SignedInPerson, 'email'>): boolean =>
  email === invitation.email;

/**
 * Makes a signed-in person a member. Resolves to the position of the event.
 * @throws ApiError expired_invitation, invitation_for_another_email, already_member, member_limit_exceeded
 */
export const acceptAsPerson = async (
  eventLog: EventLog,
  found: FoundInvitation,
  person: SignedInPerson,
  cause: Cause,
): Promise<number> => {
  requireValidInvitation(found, eventLog.now());
  const { email } = found.invitation;
  if (!isInvited(found, person))
    throw ApiError.of(
      'invitation_for_another_email',
      `The invitation is for ${email}. You are signed in as ${person.email ?? person.name}: sign out first, or ask for ` +
        'an invitation for your email.',
      { email, signed_in_as: person.email ?? person.name },
    );
  return accept(eventLog, found, person.personId, { ...cause, accountId: found.accountId });
};

/**
 * Makes the holder of the link a new person and a member, and starts a session. The email is not verified, so the new
 * person is never one who exists already: an invitation gives access to its account and to nothing else.
 * @throws ApiError expired_invitation, member_limit_exceeded
 */
export const acceptAsNewPerson = async (
  eventLog: EventLog,
  found: FoundInvitation,
  origin: SignInOrigin,
): Promise<SignIn & { accountId: string }> => {
  const now = eventLog.now();
  requireValidInvitation(found, now);
  const { accountId, invitationId, invitation } = found;
  if (isFull(found.state)) throw memberLimitExceeded();
  const { email } = invitation;
  const personId = personIdFrom({ kind: 'invitation', invitationId, email });
  const actor = actorOf({ personId, name: email });
  const cause = newCause(actor, accountId, origin);
  const aggregate = await registerPerson(eventLog, { personId, email, name: email }, cause);
  const sessionId = newId(now);
  const session = { personId, sessionId, method: 'link', challengeId: null, userAgent: origin.userAgent } as const;
  // First, so that the invitation stays open after a crash in between. The token of that session was never sent.
  const signIn = await startSignedInSession(eventLog, aggregate, session, cause);
  try {
    return { ...signIn, accountId, position: await accept(eventLog, found, personId, cause) };
  } catch (error) {
    await endSession(eventLog, { id: sessionId, personId }, 'revoke', cause).catch(() => undefined);
    throw error;
  }
};

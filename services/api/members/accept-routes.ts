import { z } from 'zod';
import {
  acceptedInvitationResponse,
  type InvitationPreviewResponse,
  invitationPreviewResponse,
  invitationTokenRequest,
} from '#contracts/http/members.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { accountIdOf, bareId, personIdOf, readModels } from '#contracts/names.ts';
import {
  acceptAsNewPerson,
  acceptAsPerson,
  invitationNotFound,
  isInvited,
  requireValidInvitation,
} from '#application/members/accept-invitation.ts';
import { changeMembers, findInvitation, type FoundInvitation } from '#application/members/commands.ts';
import { authenticateSession, type SignedInPerson } from '#application/people/people.ts';
import { isLastOwner, membershipOf } from '#libs/domain/members.ts';
import type { RequestContext } from '../server/context.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { causeOfPerson } from '../server/request.ts';
import { nameSchema, type Route, sessionRoute, signInRoute, noContent, ok } from '../server/route.ts';
import { completeSignIn, originOf } from '../sessions/complete-sign-in.ts';
import { withSignInLimit } from '../sessions/sign-in-limit.ts';
import { lastOwner, requireOwnRole } from './require-role.ts';

type TokenContext = RequestContext<z.output<typeof invitationTokenRequest>>;

/** The person who is signed in, if anyone is. */
const findPerson = async (
  { cookies, people, eventLog }: Dependencies,
  { reply }: TokenContext,
): Promise<SignedInPerson | null> => {
  const token = cookies.read(reply.request, 'session');
  if (token === null) return null;
  return authenticateSession(people, token, eventLog.now()).catch((error: unknown) => {
    if (error instanceof ApiError && error.fields.name === 'invalid_session') return null;
    throw error;
  });
};

/** The invitation of the token. Wrong tokens are limited like wrong sign-ins. @throws ApiError invitation_not_found */
const requireInvitation = (dependencies: Dependencies, { body, reply }: TokenContext): Promise<FoundInvitation> =>
  withSignInLimit(dependencies, reply.request, async () => {
    const found = await findInvitation((accountId) => dependencies.people.members.load(accountId), body.token);
    if (!found) throw invitationNotFound();
    return found;
  });

const previewInvitation = signInRoute({
  method: 'POST',
  path: '/api/v1/invitations/preview',
  operationId: 'previewInvitation',
  tag: 'People',
  summary: 'Read an invitation by its link',
  description:
    'Says to which account and role the link of an invitation leads, and who is signed in. It does not use the link.',
  session: 'start',
  request: { body: nameSchema('InvitationToken', invitationTokenRequest) },
  responses: [ok('The invitation.', nameSchema('InvitationPreview', invitationPreviewResponse))],
  errors: ['invitation_not_found', 'expired_invitation'],
  handle: async (context, dependencies): Promise<InvitationPreviewResponse> => {
    const found = await requireInvitation(dependencies, context);
    requireValidInvitation(found, dependencies.eventLog.now());
    const person = await findPerson(dependencies, context);
    const account = await dependencies.accounts.find(found.accountId);
    const { email, role, expiresAt } = found.invitation;
    context.reply.header('cache-control', 'no-store');
    return {
      account_name: account?.name ?? accountIdOf(found.accountId),
      email,
      role,
      expires_at: expiresAt,
      signed_in_as: person && { name: person.name, email: person.email, is_invited: isInvited(found, person) },
    };
  },
});

const acceptInvitation = signInRoute({
  method: 'POST',
  path: '/api/v1/invitations/accept',
  operationId: 'acceptInvitation',
  tag: 'People',
  summary: 'Accept an invitation',
  description:
    'Makes the signed-in person a member of the account, if the invitation is for the email of this person. Without ' +
    'a session, a new person with the email of the invitation becomes a member and is signed in: the email was not ' +
    'verified, so this person gets no access of another person with the same email.',
  session: 'start',
  request: { body: nameSchema('InvitationToken', invitationTokenRequest) },
  responses: [
    ok('The person is a member.', nameSchema('AcceptedInvitation', acceptedInvitationResponse), {
      headers: { 'Set-Cookie': 'The cookie of the session, if a new one has started.' },
    }),
  ],
  errors: [
    'invitation_not_found',
    'expired_invitation',
    'invitation_for_another_email',
    'already_member',
    'member_limit_exceeded',
  ],
  handle: async (context, dependencies) => {
    const { reply } = context;
    const { eventLog, readYourWrites } = dependencies;
    const found = await requireInvitation(dependencies, context);
    const { accountId, invitation } = found;
    const person = await findPerson(dependencies, context);
    const accepted = person
      ? {
          personId: person.personId,
          position: await acceptAsPerson(eventLog, found, person, causeOfPerson(reply.request, person)),
        }
      : await acceptAsNewPerson(eventLog, found, originOf(reply.request));
    const { personId, position } = accepted;
    readYourWrites.recordWrite(accountId, position, readModels.members, readModels.people, readModels.invitations);
    readYourWrites.recordWrite(personId, position, readModels.members);
    if ('token' in accepted) await completeSignIn(dependencies, reply, accepted);
    reply.header('cache-control', 'no-store');
    return { account_id: accountIdOf(accountId), person_id: personIdOf(personId), role: invitation.role };
  },
});

const leaveAccount = sessionRoute({
  method: 'DELETE',
  path: '/api/v1/session/accounts/{account_id}',
  operationId: 'leaveAccount',
  tag: 'People',
  summary: 'Leave an account',
  description: 'The signed-in person is no longer a member of the account. The last owner cannot leave.',
  session: 'required',
  request: { params: z.object({ account_id: z.string().describe('acc_<id>') }) },
  responses: [noContent('The person has left.')],
  errors: ['account_not_found', 'last_owner', 'member_managed_by_groups'],
  handle: async ({ person: { personId }, params, cause, reply }, { eventLog, people, readYourWrites }) => {
    const accountId = bareId('acc', params.account_id);
    const state = accountId === undefined ? null : await people.members.load(accountId);
    const membership = state && membershipOf(state, personId);
    if (!accountId || !state || !membership)
      throw ApiError.of('account_not_found', 'You are not a member of such an account.');
    requireOwnRole(membership);
    if (isLastOwner(state, personId)) throw lastOwner();
    const left = await changeMembers(eventLog, accountId, { type: 'remove', personId }, { ...cause, accountId });
    if (membershipOf(left.state, personId)) throw lastOwner();
    if (left.position !== null) {
      readYourWrites.recordWrite(accountId, left.position, readModels.members);
      readYourWrites.recordWrite(personId, left.position, readModels.members);
    }
    return reply.status(204).send();
  },
});

/** What people do with invitations and memberships of their own. */
export const ownMembershipRoutes: Route[] = [previewInvitation, acceptInvitation, leaveAccount];

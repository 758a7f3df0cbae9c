import { z } from 'zod';
import { ApiError } from '#contracts/http/api-error.ts';
import {
  createdInvitationResponse,
  invitationListResponse,
  type InvitationResponse,
  inviteMemberRequest,
} from '#contracts/http/members.ts';
import { bareId, invitationIdOf, readModels } from '#contracts/names.ts';
import { changeMembers, invitationUrl, inviteMember } from '#application/members/commands.ts';
import { memberLimitExceeded } from '#application/members/accept-invitation.ts';
import { findInvitations, findMemberByEmail } from '#application/members/queries.ts';
import { normaliseEmail } from '#application/people/identity.ts';
import { invitationOf, maxInvitations, maxMembers } from '#libs/domain/members.ts';
import type { InvitationDocument } from '#libs/projections/invitations.ts';
import { createNamedActorView } from '../server/actor-names.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { nameSchema, route, type Route, created, noContent, ok } from '../server/route.ts';
import { requirePermissionsOf } from './require-role.ts';

const params = z.object({ invitation_id: z.string().describe('inv_<id>') });

const invitationViews = async (
  { reads, eventLog }: Dependencies,
  accountId: string,
  documents: readonly InvitationDocument[],
): Promise<InvitationResponse[]> => {
  const actors = documents.map(({ invitedBy }) => invitedBy);
  const actorView = await createNamedActorView(reads, accountId, actors);
  const now = eventLog.now().toISOString();
  return documents.map(({ id, email, role, invitedAt, invitedBy, expiresAt }) => ({
    id: invitationIdOf(id),
    email,
    role,
    state: expiresAt <= now ? 'expired' : 'open',
    invited_at: invitedAt,
    invited_by: actorView(invitedBy),
    expires_at: expiresAt,
  }));
};

const listInvitations = route({
  method: 'GET',
  path: '/api/v1/invitations',
  operationId: 'listInvitations',
  tag: 'People',
  summary: 'List the invitations',
  description: 'Lists the invitations to the account that were neither accepted nor withdrawn, without their links.',
  permission: 'members:read',
  responses: [ok('The invitations.', nameSchema('InvitationList', invitationListResponse))],
  handle: async ({ account }, dependencies) => {
    const { reads, readYourWrites } = dependencies;
    await readYourWrites.waitForWrites(account.id, readModels.invitations);
    return { invitations: await invitationViews(dependencies, account.id, await findInvitations(reads, account.id)) };
  },
});

/** @throws ApiError already_member */
const requireNoMember = async ({ reads, readYourWrites }: Dependencies, accountId: string, email: string) => {
  await readYourWrites.waitForWrites(accountId, readModels.members, readModels.people);
  if (await findMemberByEmail(reads, accountId, email))
    throw ApiError.of('already_member', `${email} is a member of the account already. Change the role of the member.`);
};

const tooManyInvitations = (): ApiError =>
  ApiError.of(
    'invitation_limit_exceeded',
    `The account has ${maxInvitations} open invitations. Withdraw those that are no longer needed.`,
    { limit: maxInvitations },
  );

const createInvitation = route({
  method: 'POST',
  path: '/api/v1/invitations',
  operationId: 'inviteMember',
  tag: 'People',
  summary: 'Invite someone to the account',
  description:
    'Returns a link to pass on: the service does not send email. The link works for 7 days, for one person, once, and is shown ' +
    'only in this response; the service stores a hash of it. Anyone who has the link can accept, so send it only to the invited person. ' +
    'A new invitation for the same email replaces the earlier one. You can give only what you have yourself.',
  permission: 'members:write',
  request: {
    body: nameSchema('InviteMember', inviteMemberRequest),
    examples: { developer: { summary: 'A developer', value: { email: 'ben@example.com', role: 'developer' } } },
  },
  responses: [
    created(
      'The invitation with its link, shown only now.',
      nameSchema('CreatedInvitation', createdInvitationResponse),
      { 'Cache-Control': 'Always `no-store`.' },
    ),
  ],
  errors: ['already_member', 'invitation_limit_exceeded', 'member_limit_exceeded'],
  handle: async (context, dependencies) => {
    const { account, body, cause, actor, reply } = context;
    const { eventLog, people, readYourWrites, baseUrl } = dependencies;
    requirePermissionsOf(context, body.role);
    const email = normaliseEmail(body.email);
    await requireNoMember(dependencies, account.id, email);
    const created = await inviteMember(eventLog, account.id, { email, role: body.role }, cause);
    if (!created) {
      const { members } = await people.members.load(account.id);
      throw Object.keys(members).length >= maxMembers ? memberLimitExceeded() : tooManyInvitations();
    }
    const { invitation, token, position } = created;
    readYourWrites.recordWrite(account.id, position, readModels.invitations);
    const { invitationId: id, role, expiresAt } = invitation;
    const invitedAt = eventLog.now().toISOString();
    const document = { id, accountId: account.id, email, role, invitedAt, invitedBy: actor, expiresAt };
    const [view] = await invitationViews(dependencies, account.id, [document]);
    return reply
      .status(201)
      .header('cache-control', 'no-store')
      .send({ ...view!, url: invitationUrl(baseUrl, token) });
  },
});

const withdrawInvitation = route({
  method: 'DELETE',
  path: '/api/v1/invitations/{invitation_id}',
  operationId: 'withdrawInvitation',
  tag: 'People',
  summary: 'Withdraw an invitation',
  description: 'The link of the invitation stops working at once.',
  permission: 'members:write',
  request: { params },
  responses: [noContent('The invitation was withdrawn.')],
  errors: ['invitation_not_found'],
  handle: async (context, { eventLog, people, readYourWrites }) => {
    const { account, params, cause, reply } = context;
    const invitationId = bareId('inv', params.invitation_id);
    const invitation = invitationId ? invitationOf(await people.members.load(account.id), invitationId) : null;
    if (!invitationId || !invitation)
      throw ApiError.of('invitation_not_found', 'The account has no such open invitation.');
    const { position } = await changeMembers(eventLog, account.id, { type: 'withdraw', invitationId }, cause);
    if (position !== null) readYourWrites.recordWrite(account.id, position, readModels.invitations);
    return reply.status(204).send();
  },
});

/** The invitations to the account. */
export const invitationRoutes: Route[] = [listInvitations, createInvitation, withdrawInvitation];

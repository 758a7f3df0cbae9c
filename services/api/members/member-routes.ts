import { z } from 'zod';
import {
  changeMemberRequest,
  listMembersQuery,
  memberListResponse,
  type MemberResponse,
  memberResponse,
} from '#contracts/http/members.ts';
import { bareId, personIdOf, readModels } from '#contracts/names.ts';
import { changeMembers } from '#application/members/commands.ts';
import { findMember, findMemberPage, type MemberWithPerson } from '#application/members/queries.ts';
import { isLastOwner, type Membership, membershipOf, type MembersState } from '#libs/domain/members.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { nameSchema, route, type Route, noContent, ok } from '../server/route.ts';
import { lastOwner, memberNotFound, requireOwnRole, requirePermissionsOf } from './require-role.ts';

const params = z.object({ person_id: z.string().describe('person_<id>') });

const memberView = ({ member, person }: MemberWithPerson): MemberResponse => ({
  id: personIdOf(member.personId),
  name: person?.name ?? personIdOf(member.personId),
  email: person?.email ?? null,
  role: member.role,
  source: member.source,
  joined_at: member.joinedAt,
  last_sign_in_at: person?.lastSignInAt ?? null,
});

/** A member whom the caller may change. @throws ApiError member_not_found, member_managed_by_groups */
const requireMember = async (
  { people }: Dependencies,
  accountId: string,
  prefixed: string,
): Promise<{ personId: string; membership: Membership; state: MembersState }> => {
  const personId = bareId('person', prefixed);
  const state = await people.members.load(accountId);
  const membership = personId === undefined ? null : membershipOf(state, personId);
  if (personId === undefined || !membership) throw memberNotFound();
  requireOwnRole(membership);
  return { personId, membership, state };
};

const memberSchema = nameSchema('Member', memberResponse);

const listMembers = route({
  method: 'GET',
  path: '/api/v1/members',
  operationId: 'listMembers',
  tag: 'People',
  summary: 'List the members of the account',
  description: 'Lists the people who can act for the account in the dashboard, with their roles.',
  permission: 'members:read',
  request: { query: listMembersQuery },
  responses: [ok('A page of members.', nameSchema('MemberList', memberListResponse))],
  handle: async ({ account, query: { limit, cursor } }, { reads, readYourWrites }) => {
    await readYourWrites.waitForWrites(account.id, readModels.members, readModels.people);
    const { members, next } = await findMemberPage(reads, account.id, { cursor, limit });
    return { members: members.map(memberView), next_cursor: next };
  },
});

const changeMember = route({
  method: 'PUT',
  path: '/api/v1/members/{person_id}',
  operationId: 'changeMember',
  tag: 'People',
  summary: 'Change the role of a member',
  description:
    'The new role applies to the next request of the person. You can give and take only what you have yourself. An ' +
    'account keeps at least one owner.',
  permission: 'members:write',
  request: {
    params,
    body: nameSchema('ChangeMember', changeMemberRequest),
    examples: { developer: { summary: 'Make the member a developer', value: { role: 'developer' } } },
  },
  responses: [ok('The member with the new role.', memberSchema)],
  errors: ['member_not_found', 'last_owner', 'member_managed_by_groups'],
  handle: async (context, dependencies) => {
    const { account, params, body, cause } = context;
    const { eventLog, reads, readYourWrites } = dependencies;
    const { personId, membership, state } = await requireMember(dependencies, account.id, params.person_id);
    requirePermissionsOf(context, membership.role);
    requirePermissionsOf(context, body.role);
    if (isLastOwner(state, personId) && body.role !== 'owner') throw lastOwner();
    const { source } = membership;
    const changed = await changeMembers(
      eventLog,
      account.id,
      { type: 'changeRole', personId, role: body.role, source },
      cause,
    );
    const after = membershipOf(changed.state, personId);
    if (!after) throw memberNotFound();
    if (after.role !== body.role) throw lastOwner();
    if (changed.position !== null) readYourWrites.recordWrite(account.id, changed.position, readModels.members);
    await readYourWrites.waitForWrites(account.id, readModels.members);
    const found = await findMember(reads, account.id, personId);
    if (!found) throw memberNotFound();
    return memberView(found);
  },
});

const removeMember = route({
  method: 'DELETE',
  path: '/api/v1/members/{person_id}',
  operationId: 'removeMember',
  tag: 'People',
  summary: 'Remove a member',
  description:
    'The next request of the person to this account fails, in every process. What the person did stays in the history. ' +
    'An account keeps at least one owner. To leave an account yourself: `DELETE /api/v1/session/accounts/{account_id}`.',
  permission: 'members:write',
  request: { params },
  responses: [noContent('The member was removed.')],
  errors: ['member_not_found', 'last_owner', 'member_managed_by_groups'],
  handle: async (context, dependencies) => {
    const { account, params, cause, reply } = context;
    const { personId, membership, state } = await requireMember(dependencies, account.id, params.person_id);
    requirePermissionsOf(context, membership.role);
    if (isLastOwner(state, personId)) throw lastOwner();
    const { eventLog, readYourWrites } = dependencies;
    const removed = await changeMembers(eventLog, account.id, { type: 'remove', personId }, cause);
    if (membershipOf(removed.state, personId)) throw lastOwner();
    if (removed.position !== null) readYourWrites.recordWrite(account.id, removed.position, readModels.members);
    return reply.status(204).send();
  },
});

/** The members of the account. */
export const memberRoutes: Route[] = [listMembers, changeMember, removeMember];

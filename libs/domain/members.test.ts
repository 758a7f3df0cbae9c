import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { permissions } from '#contracts/events/account.ts';
import type { MemberEvent } from '#contracts/events/members.ts';
import { highestRole, permissionsOf, type Role, roles } from '#contracts/roles.ts';
import { fold } from './decider.ts';
import { invitationOf, isLastOwner, maxInvitations, members, type MembersCommand, membershipOf } from './members.ts';
import { given } from './testing/given.ts';

const joined = (personId: string, role: Role, source: 'link' | 'groups' = 'link'): MemberEvent => ({
  type: 'MemberJoined',
  data: { personId, role, source },
});
const join = (personId: string, role: Role): MembersCommand => ({ type: 'join', personId, role, source: 'link' });
const changeRole = (personId: string, role: Role): MembersCommand => ({
  type: 'changeRole',
  personId,
  role,
  source: 'invitation',
});
const remove = (personId: string): MembersCommand => ({ type: 'remove', personId });
const applyGroups = (personId: string, role: Role | null): MembersCommand => ({ type: 'applyGroups', personId, role });

describe('The members of an account', () => {
  it('join once', () => {
    expect(given(members).when(join('ada', 'owner'))).toEqual([joined('ada', 'owner')]);
    expect(given(members, joined('ada', 'owner')).when(join('ada', 'viewer'))).toEqual([]);
  });

  it('change their role, except the last owner', () => {
    const both = [joined('ada', 'owner'), joined('ben', 'viewer')];
    expect(given(members, ...both).when(changeRole('ben', 'owner'))).toEqual([
      { type: 'MemberRoleChanged', data: { personId: 'ben', role: 'owner', source: 'invitation' } },
    ]);
    expect(given(members, ...both).when(changeRole('ben', 'viewer'))).toEqual([]);
    expect(given(members, ...both).when(changeRole('ada', 'viewer'))).toEqual([]);
    expect(given(members, ...both).when(changeRole('eve', 'owner'))).toEqual([]);
  });

  it('leave, except the last owner', () => {
    const both = [joined('ada', 'owner'), joined('ben', 'viewer')];
    expect(given(members, ...both).when(remove('ben'))).toEqual([{ type: 'MemberRemoved', data: { personId: 'ben' } }]);
    expect(given(members, ...both).when(remove('ada'))).toEqual([]);
    expect(given(members, ...both, joined('eve', 'owner')).when(remove('ada'))).toHaveLength(1);
    expect(given(members, ...both).when(remove('nobody'))).toEqual([]);
  });

  describe('invite others', () => {
    const at = (day: number): string => new Date(Date.UTC(2026, 2, day)).toISOString();
    const invitation = (invitationId: string, email: string, expiresAt = at(8)) => ({
      invitationId,
      email,
      role: 'developer' as const,
      tokenHash: 'hash',
      expiresAt,
    });
    const invited = (...args: Parameters<typeof invitation>): MemberEvent => ({
      type: 'MemberInvited',
      data: invitation(...args),
    });
    const owner = joined('ada', 'owner');
    const accept = (now: string, personId = 'ben'): MembersCommand => ({
      type: 'accept',
      invitationId: 'i1',
      personId,
      now,
    });

    it('once with each link, until it expires', () => {
      const open = [owner, invited('i1', 'ben@example.com')];
      const joinedBy: MemberEvent = {
        type: 'MemberJoined',
        data: { personId: 'ben', role: 'developer', source: 'invitation', invitationId: 'i1' },
      };
      expect(given(members, ...open).when(accept(at(7)))).toEqual([joinedBy]);
      expect(given(members, ...open, joinedBy).when(accept(at(7), 'eve'))).toEqual([]);
      expect(given(members, ...open).when(accept(at(8)))).toEqual([]);
      expect(given(members, ...open).when(accept(at(7), 'ada'))).toEqual([]);
    });

    it('and withdraw an invitation', () => {
      const open = [owner, invited('i1', 'ben@example.com')];
      const withdrawn: MemberEvent = { type: 'InvitationWithdrawn', data: { invitationId: 'i1' } };
      expect(given(members, ...open).when({ type: 'withdraw', invitationId: 'i1' })).toEqual([withdrawn]);
      expect(given(members, ...open, withdrawn).when({ type: 'withdraw', invitationId: 'i1' })).toEqual([]);
      expect(given(members, ...open, withdrawn).when(accept(at(1)))).toEqual([]);
      expect(invitationOf(fold(members, [...open, withdrawn]), 'i1')).toBe(null);
    });

    it('with one open invitation for each email', () => {
      const again: MembersCommand = { type: 'invite', invitation: invitation('i2', 'ben@example.com'), now: at(1) };
      expect(given(members, owner, invited('i1', 'ben@example.com')).when(again)).toEqual([
        { type: 'InvitationWithdrawn', data: { invitationId: 'i1' } },
        invited('i2', 'ben@example.com'),
      ]);
    });

    it('with a limited number of open invitations; expired ones do not count', () => {
      const all = Array.from({ length: maxInvitations }, (_, index) => invited(`i${index}`, `p${index}@example.com`));
      const next = (now: string): MembersCommand => ({ type: 'invite', invitation: invitation('x', 'x@y'), now });
      expect(given(members, owner, ...all).when(next(at(7)))).toEqual([]);
      expect(given(members, owner, ...all).when(next(at(8)))).toHaveLength(maxInvitations + 1);
    });
  });

  it('follow the groups of the identity provider, even the last owner', () => {
    expect(given(members).when(applyGroups('ada', 'owner'))).toEqual([joined('ada', 'owner', 'groups')]);
    const byGroups = joined('ada', 'owner', 'groups');
    expect(given(members, byGroups).when(applyGroups('ada', 'owner'))).toEqual([]);
    expect(given(members, byGroups).when(applyGroups('ada', 'viewer'))).toHaveLength(1);
    expect(given(members, byGroups).when(applyGroups('ada', null))).toHaveLength(1);
  });

  it('keep a membership that does not come from groups when the groups name none', () => {
    expect(given(members, joined('ada', 'owner')).when(applyGroups('ada', null))).toEqual([]);
    expect(given(members).when(applyGroups('ada', null))).toEqual([]);
  });

  it('are looked up by own ids only', () => {
    expect(membershipOf(members.initial, 'constructor')).toBe(null);
    expect(isLastOwner(members.initial, 'ada')).toBe(false);
  });
});

it('After any commands of people, an account that had an owner has one', () => {
  const id = fc.constantFrom('ada', 'ben', 'eve');
  const role = fc.constantFrom(...roles);
  const command = fc.oneof(
    fc.tuple(id, role).map(([one, as]) => join(one, as)),
    fc.tuple(id, role).map(([one, as]) => changeRole(one, as)),
    id.map(remove),
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
      const state = fold(members, [joined('zoe', 'owner')]);
      const after = commands.reduce((before, one) => members.decide(one, before).reduce(members.evolve, before), state);
      expect(Object.values(after.members).some((one) => one.role === 'owner')).toBe(true);
    }),
  );
});

describe('Roles', () => {
  it('grow from viewer to owner', () => {
    const [owner, developer, viewer] = roles.map(permissionsOf);
    expect(owner).toEqual(permissions);
    expect(developer).toEqual(expect.arrayContaining([...viewer!]));
    expect(permissions.filter((one) => !developer!.includes(one))).toEqual(['members:write', 'account:write']);
  });

  it('let a viewer read only', () => {
    expect(permissionsOf('viewer').filter((one) => !one.endsWith(':read'))).toEqual([]);
    expect(permissionsOf('viewer')).not.toContain('webhook_secret:read');
  });

  it('of several groups are the highest', () => {
    expect(highestRole(['viewer', 'owner', 'developer'])).toBe('owner');
    expect(highestRole([])).toBe(null);
  });
});

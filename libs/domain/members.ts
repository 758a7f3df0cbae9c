import type { EventData } from '#contracts/events/event-schemas.ts';
import type { MemberEvent, MembershipSource } from '#contracts/events/members.ts';
import type { Role } from '#contracts/roles.ts';
import type { Decider } from './decider.ts';

export type Membership = { role: Role; source: MembershipSource };

/** An invitation that was neither accepted nor withdrawn. It may have expired. */
export type Invitation = Omit<EventData['MemberInvited'], 'invitationId'>;

/** The members of an account by the id of the person, and the open invitations by their id. */
export type MembersState = {
  members: Readonly<Record<string, Membership>>;
  invitations: Readonly<Record<string, Invitation>>;
};

export type MembersCommand =
  | { type: 'join'; personId: string; role: Role; source: MembershipSource }
  | { type: 'changeRole'; personId: string; role: Role; source: MembershipSource }
  | { type: 'remove'; personId: string }
  /** `now` is ISO 8601 in UTC. */
  | { type: 'invite'; invitation: EventData['MemberInvited']; now: string }
  | { type: 'withdraw'; invitationId: string }
  | { type: 'accept'; invitationId: string; personId: string; now: string }
  /** The identity provider decides: the person has this role, or none any more. This may remove the last owner. */
  | { type: 'applyGroups'; personId: string; role: Role | null };

/** More members than an account needs; it bounds the state. */
export const maxMembers = 1_000;
/** Expired ones do not count. */
export const maxInvitations = 100;
/** How long an invitation can be accepted. */
export const invitationLifetimeMs = 7 * 24 * 60 * 60 * 1000;

/** The membership of a person; null if the person is not a member. */
export const membershipOf = ({ members }: MembersState, personId: string): Membership | null =>
  Object.hasOwn(members, personId) ? members[personId]! : null;

/** An open invitation; null if there is none with this id. */
export const invitationOf = ({ invitations }: MembersState, invitationId: string): Invitation | null =>
  Object.hasOwn(invitations, invitationId) ? invitations[invitationId]! : null;

/** Whether the person is the only owner, who can neither leave nor get another role. */
export const isLastOwner = ({ members }: MembersState, personId: string): boolean => {
  const owners = Object.keys(members).filter((id) => members[id]!.role === 'owner');
  return owners.length === 1 && owners[0] === personId;
};

const withMember = (state: MembersState, personId: string, membership: Membership): MembersState => ({
  ...state,
  members: { ...state.members, [personId]: membership },
});

const withoutInvitation = (state: MembersState, invitationId: string | undefined): MembersState => ({
  ...state,
  invitations: Object.fromEntries(Object.entries(state.invitations).filter(([id]) => id !== invitationId)),
});

const evolve = (state: MembersState, event: MemberEvent): MembersState => {
  switch (event.type) {
    case 'MemberInvited': {
      const { invitationId, ...invitation } = event.data;
      return { ...state, invitations: { ...state.invitations, [invitationId]: invitation } };
    }
    case 'InvitationWithdrawn':
      return withoutInvitation(state, event.data.invitationId);
    case 'MemberJoined': {
      const { personId, role, source, invitationId } = event.data;
      return withMember(withoutInvitation(state, invitationId), personId, { role, source });
    }
    case 'MemberRoleChanged': {
      const { personId, role, source } = event.data;
      return withMember(state, personId, { role, source });
    }
    case 'MemberRemoved': {
      const { [event.data.personId]: _, ...members } = state.members;
      return { ...state, members };
    }
    default:
      return event satisfies never;
  }
};

export const isFull = ({ members }: MembersState): boolean => Object.keys(members).length >= maxMembers;

const decideGroups = (personId: string, role: Role | null, state: MembersState): MemberEvent[] => {
  const present = membershipOf(state, personId);
  if (role === null) return present?.source === 'groups' ? [{ type: 'MemberRemoved', data: { personId } }] : [];
  const data = { personId, role, source: 'groups' } as const;
  if (!present) return isFull(state) ? [] : [{ type: 'MemberJoined', data }];
  return present.role === role && present.source === 'groups' ? [] : [{ type: 'MemberRoleChanged', data }];
};

/** Withdraws what the new invitation replaces, and what has expired, so that the state stays small. */
const decideInvite = (invitation: EventData['MemberInvited'], now: string, state: MembersState): MemberEvent[] => {
  const entries = Object.entries(state.invitations);
  const replaced = entries.filter(([, { email, expiresAt }]) => email === invitation.email || expiresAt <= now);
  if (isFull(state) || entries.length - replaced.length >= maxInvitations) return [];
  return [
    ...replaced.map(([invitationId]): MemberEvent => ({ type: 'InvitationWithdrawn', data: { invitationId } })),
    { type: 'MemberInvited', data: invitation },
  ];
};

const decideAccept = (invitationId: string, personId: string, now: string, state: MembersState): MemberEvent[] => {
  const invitation = invitationOf(state, invitationId);
  if (!invitation || invitation.expiresAt <= now || membershipOf(state, personId) || isFull(state)) return [];
  const { role } = invitation;
  return [{ type: 'MemberJoined', data: { personId, role, source: 'invitation', invitationId } }];
};

const decide = (command: MembersCommand, state: MembersState): MemberEvent[] => {
  switch (command.type) {
    case 'invite':
      return decideInvite(command.invitation, command.now, state);
    case 'withdraw': {
      const { invitationId } = command;
      return invitationOf(state, invitationId) ? [{ type: 'InvitationWithdrawn', data: { invitationId } }] : [];
    }
    case 'accept':
      return decideAccept(command.invitationId, command.personId, command.now, state);
    case 'join': {
      const { personId, role, source } = command;
      return membershipOf(state, personId) || isFull(state)
        ? []
        : [{ type: 'MemberJoined', data: { personId, role, source } }];
    }
    case 'changeRole': {
      const { personId, role, source } = command;
      const present = membershipOf(state, personId);
      return !present || present.role === role || isLastOwner(state, personId)
        ? []
        : [{ type: 'MemberRoleChanged', data: { personId, role, source } }];
    }
    case 'remove': {
      const { personId } = command;
      const isKept = membershipOf(state, personId) === null || isLastOwner(state, personId);
      return isKept ? [] : [{ type: 'MemberRemoved', data: { personId } }];
    }
    case 'applyGroups':
      return decideGroups(command.personId, command.role, state);
    default:
      return command satisfies never;
  }
};

/**
 * The members of one account, and its invitations. At least one owner stays; only the identity provider's groups can
 * remove the last one. A refused command has no events; the state says why.
 */
export const members: Decider<MembersState, MembersCommand, MemberEvent> = {
  initial: { members: {}, invitations: {} },
  evolve,
  decide,
};

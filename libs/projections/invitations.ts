import type { Actor } from '#contracts/events/metadata.ts';
import { readModels } from '#contracts/names.ts';
import type { Role } from '#contracts/roles.ts';
import { idOf, type Projection } from './projection.ts';

export type InvitationDocument = {
  id: string;
  accountId: string;
  email: string;
  role: Role;
  invitedAt: string;
  invitedBy: Actor;
  expiresAt: string;
};

/** The invitations of each account that were neither accepted nor withdrawn. */
export const invitations: Projection<InvitationDocument> = {
  model: readModels.invitations,
  collection: { name: readModels.invitations, indexes: [['accountId', 'id']] },
  handlers: {
    MemberInvited: (event) => {
      const { invitationId: id, email, role, expiresAt } = event.data;
      const { occurredAt: invitedAt, actor: invitedBy } = event.metadata;
      const accountId = idOf(event);
      return { id, evolve: () => ({ id, accountId, email, role, invitedAt, invitedBy, expiresAt }) };
    },
    InvitationWithdrawn: (event) => ({ id: event.data.invitationId, evolve: () => null }),
    MemberJoined: (event) => {
      const { invitationId } = event.data;
      return invitationId === undefined ? null : { id: invitationId, evolve: () => null };
    },
  },
};

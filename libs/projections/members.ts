import type { MembershipSource } from '#contracts/events/members.ts';
import { readModels } from '#contracts/names.ts';
import type { Role } from '#contracts/roles.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { idOf, type Projection } from './projection.ts';

export type MemberDocument = {
  id: string;
  accountId: string;
  personId: string;
  role: Role;
  source: MembershipSource;
  joinedAt: string;
};

/** The id of the document, from bare ids. */
export const memberIdOf = (accountId: string, personId: string): string => `${accountId}/${personId}`;

const memberOf = (event: RecordedEvent, personId: string): string => memberIdOf(idOf(event), personId);

/** The members of each account, for lists. A person who left has no document. */
export const members: Projection<MemberDocument> = {
  model: readModels.members,
  collection: {
    name: readModels.members,
    indexes: [
      ['accountId', 'joinedAt'],
      ['personId', 'joinedAt'],
    ],
  },
  handlers: {
    MemberJoined: (event) => {
      const { personId, role, source } = event.data;
      const accountId = idOf(event);
      const id = memberIdOf(accountId, personId);
      return { id, evolve: () => ({ id, accountId, personId, role, source, joinedAt: event.metadata.occurredAt }) };
    },
    MemberRoleChanged: (event) => {
      const { personId, role, source } = event.data;
      return { id: memberOf(event, personId), evolve: (document) => document && { ...document, role, source } };
    },
    MemberRemoved: (event) => ({ id: memberOf(event, event.data.personId), evolve: () => null }),
  },
};

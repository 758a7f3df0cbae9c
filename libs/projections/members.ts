import type { MembershipSource } from '#contracts/events/members.ts';
import { idOfStream, readModels } from '#contracts/names.ts';
import type { Role } from '#contracts/roles.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Projection } from './projection.ts';

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

const idOf = ({ stream }: RecordedEvent, personId: string): string => memberIdOf(idOfStream(stream), personId);

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
      const id = idOf(event, personId);
      const accountId = idOfStream(event.stream);
      return {
        id,
        evolve: () => ({ id, accountId, personId, role, source, joinedAt: event.metadata.occurredAt }),
      };
    },
    MemberRoleChanged: (event) => {
      const { personId, role, source } = event.data;
      return { id: idOf(event, personId), evolve: (document) => document && { ...document, role, source } };
    },
    MemberRemoved: (event) => ({ id: idOf(event, event.data.personId), evolve: () => null }),
  },
};

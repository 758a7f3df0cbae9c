import type { SignInMethod } from '#contracts/events/people.ts';
import { readModels } from '#contracts/names.ts';
import { idOf, type Projection, removeDocument, updateDocument } from './projection.ts';

/** A session in a person's list; `lastUsedAt` is at most 15 minutes old. */
export type SessionDocument = {
  id: string;
  personId: string;
  method: SignInMethod;
  userAgent: string | null;
  startedAt: string;
  lastUsedAt: string;
  expiresAt: string;
};

/** The sessions that have not ended. Those that are idle for too long stay; `expiresAt` tells. */
export const sessions: Projection<SessionDocument> = {
  model: readModels.sessions,
  collection: { name: readModels.sessions, indexes: [['personId', 'id']] },
  handlers: {
    SessionStarted: (event) => {
      const { secretHash: _, ...data } = event.data;
      const at = event.metadata.occurredAt;
      return {
        id: idOf(event),
        createsDocument: true,
        evolve: () => ({ id: idOf(event), ...data, startedAt: at, lastUsedAt: at }),
      };
    },
    SessionExtended: (event) =>
      updateDocument(event, () => ({ lastUsedAt: event.metadata.occurredAt, expiresAt: event.data.expiresAt })),
    SessionRevoked: removeDocument,
    SessionEnded: removeDocument,
  },
};

import { readModels } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { type Effect, idOf, type Projection, updateDocument } from './projection.ts';

export type PasskeySummary = { credentialId: string; name: string; addedAt: string; lastUsedAt: string | null };

export type PersonDocument = {
  id: string;
  email: string | null;
  name: string;
  operator: boolean;
  lastSignInAt: string | null;
  passkeys: readonly PasskeySummary[];
};

const changePasskeys = (
  event: RecordedEvent,
  change: (passkeys: readonly PasskeySummary[]) => readonly PasskeySummary[],
): Effect<PersonDocument> => updateDocument(event, ({ passkeys }) => ({ passkeys: change(passkeys) }));

const changePasskey = (event: RecordedEvent, id: string, fields: Partial<PasskeySummary>): Effect<PersonDocument> =>
  changePasskeys(event, (all) => all.map((one) => (one.credentialId === id ? { ...one, ...fields } : one)));

/** Names and passkeys of people, for lists. Whether someone may do something is read from the event log. */
export const people: Projection<PersonDocument> = {
  model: readModels.people,
  collection: { name: readModels.people, indexes: [['email'], ['operator', 'id']] },
  handlers: {
    PersonRegistered: (event) => ({
      id: idOf(event),
      createsDocument: true,
      evolve: () => ({
        id: idOf(event),
        email: event.data.email,
        name: event.data.name,
        operator: false,
        lastSignInAt: null,
        passkeys: [],
      }),
    }),
    PersonSignedIn: (event) => updateDocument(event, () => ({ lastSignInAt: event.metadata.occurredAt })),
    PasskeyAdded: (event) => {
      const { credentialId, name } = event.data;
      const added = { credentialId, name, addedAt: event.metadata.occurredAt, lastUsedAt: null };
      return changePasskeys(event, (all) => [...all, added]);
    },
    PasskeyRenamed: (event) => changePasskey(event, event.data.credentialId, { name: event.data.name }),
    PasskeyUsed: (event) => changePasskey(event, event.data.credentialId, { lastUsedAt: event.metadata.occurredAt }),
    PasskeyRemoved: (event) =>
      changePasskeys(event, (all) => all.filter(({ credentialId }) => credentialId !== event.data.credentialId)),
    OperatorGranted: (event) => updateDocument(event, () => ({ operator: true })),
    OperatorRevoked: (event) => updateDocument(event, () => ({ operator: false })),
  },
};

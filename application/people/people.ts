import { ApiError } from '#contracts/http/api-error.ts';
import type { SignInMethod } from '#contracts/events/people.ts';
import type { Actor } from '#contracts/events/metadata.ts';
import { streams } from '#contracts/names.ts';
import type { Role } from '#contracts/roles.ts';
import type { EventLog } from '#application/command-handling/aggregate.ts';
import { members, membershipOf, type MembersState } from '#libs/domain/members.ts';
import { person, type PersonState } from '#libs/domain/person.ts';
import { isSessionActive, session, type SessionState } from '#libs/domain/session.ts';
import { loadState } from '#application/command-handling/remembered-state.ts';
import { hasHash, parseToken } from './tokens.ts';

/** The present state of a stream by the id in its name. */
type StateReader<State> = { load(id: string): Promise<State> };

/** Persons, sessions and members, as the event log has them at the moment of the call. */
export type People = {
  persons: StateReader<PersonState>;
  sessions: StateReader<SessionState>;
  members: StateReader<MembersState>;
};

/** Reads states from the event log, and remembers them, so that each load reads only new events. */
export const openPeople = ({ store }: Pick<EventLog, 'store'>): People => ({
  persons: { load: async (id) => (await loadState(store, person, streams.person(id))).state },
  sessions: { load: async (id) => (await loadState(store, session, streams.session(id))).state },
  members: { load: async (id) => (await loadState(store, members, streams.members(id))).state },
});

/** A signed-in person. All ids are bare. */
export type SignedInPerson = {
  personId: string;
  sessionId: string;
  email: string | null;
  name: string;
  isOperator: boolean;
  passkeys: number;
  method: SignInMethod;
  expiresAt: string;
  /** When the session ends even if it is used. */
  endsBy: string;
};

export const actorOf = ({ personId, name }: Pick<SignedInPerson, 'personId' | 'name'>): Actor => ({
  kind: 'person',
  name,
  id: personId,
});

const sessionEnded = (): ApiError =>
  ApiError.of('invalid_session', 'The session has ended, or there is no such session. Sign in again.');

/** The person of a session token at this time. @throws ApiError invalid_session, the same for every reason */
export const authenticateSession = async (people: People, token: string, now: Date): Promise<SignedInPerson> => {
  const parsed = parseToken(token);
  const state = parsed && (await people.sessions.load(parsed.id));
  if (!parsed || !state || !isSessionActive(state, now) || !hasHash(parsed.secret, state.secretHash))
    throw sessionEnded();
  const { personId, method, expiresAt, endsBy } = state;
  const found = await people.persons.load(personId);
  if (found.status === 'NONE') throw sessionEnded();
  const { email, name, operator, passkeys } = found;
  const isOperator = operator !== null;
  const session = { sessionId: parsed.id, method, expiresAt, endsBy };
  return { personId, email, name, isOperator, passkeys: passkeys.length, ...session };
};

/** The role of a person in an account, by bare ids; null if the person is not a member. */
export const roleOf = async ({ members: all }: People, personId: string, accountId: string): Promise<Role | null> =>
  membershipOf(await all.load(accountId), personId)?.role ?? null;

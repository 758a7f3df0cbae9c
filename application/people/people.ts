import { LRUCache } from 'lru-cache';
import { ApiError } from '#contracts/http/api-error.ts';
import type { SignInMethod } from '#contracts/events/people.ts';
import type { Actor } from '#contracts/events/metadata.ts';
import { streams } from '#contracts/names.ts';
import type { Role } from '#contracts/roles.ts';
import type { EventLog } from '#application/command-handling/aggregate.ts';
import { members, membershipOf, type MembersState } from '#libs/domain/members.ts';
import { person, type PersonState } from '#libs/domain/person.ts';
import { isSessionActive, session, type SessionState } from '#libs/domain/session.ts';
import type { EventOf } from '#contracts/events/event-schemas.ts';
import { readHistory } from '#application/command-handling/history.ts';
import { type Decider, fold } from '#libs/domain/decider.ts';
import { noStream } from '#libs/event-store/port.ts';
import { hasHash, parseToken } from './tokens.ts';

const maxEntries = 5_000;

/** The present state of a stream by the id in its name. */
type StateCache<State> = { load(id: string): Promise<State> };

/**
 * Folds streams, and remembers the states. Each `load` reads the events that the state does not contain yet, so that a
 * change by any process is in effect at once, and a long stream costs no more than a short one.
 */
const openStateCache = <State, Command, Event extends EventOf>(
  { store }: Pick<EventLog, 'store'>,
  decider: Decider<State, Command, Event>,
  streamOf: (id: string) => string,
): StateCache<State> => {
  type Entry = { state: State; revision: number };
  const cache = new LRUCache<string, Entry>({ max: maxEntries });
  return {
    load: async (id) => {
      const { state, revision } = cache.get(id) ?? { state: decider.initial, revision: noStream };
      const missed = await readHistory(store, decider, streamOf(id), revision + 1);
      // Unknown ids are not remembered, because anyone can invent them.
      if (missed.length === 0) return state;
      const next = { state: fold(decider, missed, state), revision: missed.at(-1)!.revision };
      if (next.revision > (cache.get(id)?.revision ?? noStream)) cache.set(id, next);
      return next.state;
    },
  };
};

/** Persons, sessions and members, as the event log has them at the moment of the call. */
export type People = {
  persons: StateCache<PersonState>;
  sessions: StateCache<SessionState>;
  members: StateCache<MembersState>;
};

export const openPeople = (eventLog: Pick<EventLog, 'store'>): People => ({
  persons: openStateCache(eventLog, person, streams.person),
  sessions: openStateCache(eventLog, session, streams.session),
  members: openStateCache(eventLog, members, streams.members),
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

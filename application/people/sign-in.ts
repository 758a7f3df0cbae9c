import { ApiError } from '#contracts/http/api-error.ts';
import type { SignInMethod } from '#contracts/events/people.ts';
import { streams } from '#contracts/names.ts';
import {
  type Cause,
  type EventLog,
  loadAggregate,
  newCause,
  type RequestOrigin,
} from '#application/command-handling/aggregate.ts';
import { changeMembers } from '#application/members/commands.ts';
import { person } from '#libs/domain/person.ts';
import { session } from '#libs/domain/session.ts';
import { signInLink, type SignInLinkDetails } from '#libs/domain/sign-in-link.ts';
import { newId } from '#libs/ids/ulids.ts';
import { actorOf } from './people.ts';
import { startSession, usedLink } from './sessions.ts';
import { hasHash, parseToken } from './tokens.ts';

/** The origin of a sign-in: the request, and the browser. */
export type SignInOrigin = RequestOrigin & { userAgent: string | null };

/** The token is for the cookie. `position` is that of the last event. */
export type SignIn = { personId: string; sessionId: string; token: string; position: number };

const unknownLink = (): ApiError =>
  ApiError.of('invalid_sign_in_link', 'There is no such sign-in link. Check that the whole link was copied.');

const hasStarted = async (eventLog: EventLog, sessionId: string): Promise<boolean> =>
  (await loadAggregate(eventLog, session, streams.session(sessionId))).aggregate.state.status !== 'NONE';

/**
 * Uses the link. Its holder may continue a use that a crash interrupted, with the same session, which starts at most once.
 * @throws ApiError with a reason, which only the holder of the link learns
 */
const useLink = async (eventLog: EventLog, token: string, sessionId: string, origin: SignInOrigin) => {
  const parsed = parseToken(token);
  if (!parsed) throw unknownLink();
  const { aggregate } = await loadAggregate(eventLog, signInLink, streams.signInLink(parsed.id));
  const { state } = aggregate;
  if (state.status === 'NONE' || !hasHash(parsed.secret, state.tokenHash)) throw unknownLink();
  const now = eventLog.now().toISOString();
  const cause = newCause(actorOf(state), state.accountId, origin);
  const { events } = await aggregate.execute({ type: 'use', sessionId, now }, cause);
  if (events.length > 0) return { link: state, cause, sessionId };
  const used = aggregate.state;
  if (used.status === 'USED') {
    if (now >= used.expiresAt || (await hasStarted(eventLog, used.sessionId))) throw usedLink();
    return { link: used, cause, sessionId: used.sessionId };
  }
  throw ApiError.of('expired_sign_in_link', 'This sign-in link has expired; a link can be used for 15 minutes.');
};

/** Makes the person a member with the role of the link. The last owner keeps that role. */
const joinAccount = async (eventLog: EventLog, link: SignInLinkDetails, cause: Cause): Promise<void> => {
  const { accountId, personId, role } = link;
  if (accountId === null) return;
  const join = { type: 'join', personId, role: role ?? 'owner', source: 'link' } as const;
  const { position } = await changeMembers(eventLog, accountId, join, cause);
  if (position !== null || role === null) return;
  await changeMembers(eventLog, accountId, { ...join, type: 'changeRole' }, cause);
};

/** Registers the person unless that happened before. */
export const registerPerson = async (
  eventLog: EventLog,
  { personId, email, name }: { personId: string; email: string | null; name: string },
  cause: Cause,
) => {
  const { aggregate } = await loadAggregate(eventLog, person, streams.person(personId));
  await aggregate.execute({ type: 'register', email, name }, cause);
  return aggregate;
};

/** Records the sign-in and starts the session. @throws ApiError sign_in_failed if the challenge was used before */
export const startSignedInSession = async (
  eventLog: EventLog,
  aggregate: Awaited<ReturnType<typeof registerPerson>>,
  {
    personId,
    sessionId,
    method,
    challengeId,
    userAgent,
  }: {
    personId: string;
    sessionId: string;
    method: SignInMethod;
    challengeId: string | null;
    userAgent: string | null;
  },
  cause: Cause,
): Promise<SignIn> => {
  const { events } = await aggregate.execute({ type: 'signIn', method, sessionId, challengeId }, cause);
  if (events.length === 0) throw ApiError.of('sign_in_failed', 'This sign-in was completed before. Start again.');
  const started = await startSession(eventLog, { id: sessionId, personId, method, userAgent }, cause);
  return { personId, sessionId, ...started };
};

/**
 * Signs a person in by the token of a one-time link, and makes the person a member or an operator as the link says.
 * @throws ApiError invalid_sign_in_link, used_sign_in_link, expired_sign_in_link
 */
export const signInByLink = async (
  eventLog: EventLog,
  token: string,
  origin: SignInOrigin,
): Promise<SignIn & { accountId: string | null }> => {
  const { link, cause, sessionId } = await useLink(eventLog, token, newId(eventLog.now()), origin);
  const { personId, accountId } = link;
  const aggregate = await registerPerson(eventLog, link, cause);
  if (link.operator) await aggregate.execute({ type: 'grantOperator', source: 'command' }, cause);
  await joinAccount(eventLog, link, cause);
  const { userAgent } = origin;
  const method = 'link';
  const signIn = await startSignedInSession(
    eventLog,
    aggregate,
    { personId, sessionId, method, challengeId: null, userAgent },
    cause,
  );
  return { ...signIn, accountId };
};

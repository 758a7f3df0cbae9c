import { ApiError } from '#contracts/http/api-error.ts';
import type { SignInMethod } from '#contracts/events/people.ts';
import { streams } from '#contracts/names.ts';
import { type Cause, type EventLog, loadAggregate, newAggregate } from '#application/command-handling/aggregate.ts';
import { session } from '#libs/domain/session.ts';
import { RevisionConflict } from '#libs/event-store/port.ts';
import { newToken } from './tokens.ts';

const maxUserAgentLength = 400;

export type NewSession = { id: string; personId: string; method: SignInMethod; userAgent: string | null };

export const usedLink = (): ApiError =>
  ApiError.of('used_sign_in_link', 'This sign-in link has been used; each link signs in once.');

/**
 * Starts a session for a person. The token is for the cookie and is not stored.
 * @throws ApiError used_sign_in_link if a session with this id has started before; only the id of a link can come twice
 */
export const startSession = async (
  eventLog: EventLog,
  { id, personId, method, userAgent }: NewSession,
  cause: Cause,
): Promise<{ token: string; position: number }> => {
  const { token, hash } = newToken(id);
  const data = { personId, secretHash: hash, method, userAgent: userAgent?.slice(0, maxUserAgentLength) ?? null };
  const { position } = await newAggregate(eventLog, session, streams.session(id)).execute(
    { type: 'start', data, now: eventLog.now() },
    cause,
  );
  if (position === null) throw usedLink();
  return { token, position };
};

/** More accounts than people usually belong to; a sign-in must stay quick. */
const maxRecordedAccounts = 50;

/** Records the sign-in in the history of these accounts, so that each account sees who signs in to it. */
export const recordAccounts = async (
  eventLog: EventLog,
  id: string,
  accountIds: readonly string[],
  causeIn: (accountId: string) => Cause,
): Promise<void> => {
  if (accountIds.length === 0) return;
  const { aggregate } = await loadAggregate(eventLog, session, streams.session(id));
  for (const accountId of accountIds.slice(0, maxRecordedAccounts))
    await aggregate.execute({ type: 'recordAccount' }, causeIn(accountId));
};

/** Extends a session that is used. Resolves to true if it was extended. */
export const extendSession = async (eventLog: EventLog, id: string, cause: Cause): Promise<boolean> => {
  const { aggregate } = await loadAggregate(eventLog, session, streams.session(id));
  try {
    return (await aggregate.execute({ type: 'use', now: eventLog.now() }, cause)).events.length > 0;
  } catch (error) {
    // Other requests of the session have extended it.
    if (error instanceof RevisionConflict) return false;
    throw error;
  }
};

/**
 * Ends a session of this person. Resolves to the position of the event; null if the person has no active session with
 * this id.
 */
export const endSession = async (
  eventLog: EventLog,
  { id, personId }: { id: string; personId: string },
  type: 'signOut' | 'revoke',
  cause: Cause,
): Promise<number | null> => {
  const { aggregate } = await loadAggregate(eventLog, session, streams.session(id));
  const { state } = aggregate;
  if (state.status !== 'ACTIVE' || state.personId !== personId) return null;
  return (await aggregate.execute({ type }, cause)).position;
};

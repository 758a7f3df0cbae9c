import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { ApiError } from '#contracts/http/api-error.ts';
import { streams, ulidPattern } from '#contracts/names.ts';
import { type Cause, type EventLog, loadAggregate, newCause } from '#application/command-handling/aggregate.ts';
import { findPasskey, type Passkey, person, type PersonCommand } from '#libs/domain/person.ts';
import { newId } from '#libs/ids/ulids.ts';
import { actorOf } from './people.ts';
import { startSession } from './sessions.ts';
import type { SignIn, SignInOrigin } from './sign-in.ts';

/** A challenge, and what it is for. `origin` is that of the page. */
export type Challenge = { id: string; text: string; origin: string };

// Loaded at the first passkey, because most processes never see one.
const webAuthn = () => import('@simplewebauthn/server');

const hostOf = (origin: string): string => new URL(origin).hostname;

const notConfirmed = (): ApiError =>
  ApiError.of('sign_in_failed', 'The passkey did not confirm the person. Try again.');

const knownTransports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

/** The options for a new passkey of a person. */
export const registrationOptions = async (
  { personId, name, passkeys }: { personId: string; name: string; passkeys: readonly Passkey[] },
  origin: string,
) => {
  const { generateRegistrationOptions } = await webAuthn();
  return generateRegistrationOptions({
    rpName: 'Colophon',
    rpID: hostOf(origin),
    userID: new TextEncoder().encode(personId),
    userName: name,
    userDisplayName: name,
    attestationType: 'none',
    excludeCredentials: passkeys.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
};

/** The options for a sign-in with any passkey of the device. */
export const signInOptions = async (origin: string) => {
  const { generateAuthenticationOptions } = await webAuthn();
  return generateAuthenticationOptions({ rpID: hostOf(origin), userVerification: 'required' });
};

/**
 * Adds a passkey to a person. Returns its credential id and the position of the event.
 * @throws ApiError sign_in_failed, passkey_conflict
 */
export const addPasskey = async (
  eventLog: EventLog,
  personId: string,
  { name, response, challenge }: { name: string; response: RegistrationResponseJSON; challenge: Challenge },
  cause: Cause,
): Promise<{ credentialId: string; position: number; at: string }> => {
  const { verifyRegistrationResponse } = await webAuthn();
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge.text,
    expectedOrigin: challenge.origin,
    expectedRPID: hostOf(challenge.origin),
    requireUserVerification: true,
  }).catch(() => null);
  if (!verified?.verified) throw notConfirmed();
  const { id: credentialId, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
  const passkey: Passkey = {
    credentialId,
    publicKey: Buffer.from(publicKey).toString('base64url'),
    counter,
    transports: knownTransports.filter((one) => (transports as readonly string[]).includes(one)),
    name,
  };
  const { aggregate } = await loadAggregate(eventLog, person, streams.person(personId));
  const { position, at } = await aggregate.execute({ type: 'addPasskey', passkey, challengeId: challenge.id }, cause);
  if (position === null || at === null)
    throw ApiError.of('passkey_conflict', 'The passkey cannot be added: you have it already, or have too many.');
  return { credentialId, position, at };
};

/** Renames or removes a passkey. Returns the position of the event; null if it has no effect. */
export const changePasskey = async (
  eventLog: EventLog,
  personId: string,
  command: Extract<PersonCommand, { type: 'renamePasskey' | 'removePasskey' }>,
  cause: Cause,
): Promise<number | null> => {
  const { aggregate } = await loadAggregate(eventLog, person, streams.person(personId));
  return (await aggregate.execute(command, cause)).position;
};

/** Signs a person in by a passkey. @throws ApiError sign_in_failed, the same for every reason */
export const signInByPasskey = async (
  eventLog: EventLog,
  response: AuthenticationResponseJSON,
  challenge: Challenge,
  { userAgent, ...origin }: SignInOrigin,
): Promise<SignIn> => {
  const personId = Buffer.from(response.response.userHandle ?? '', 'base64url').toString('utf8');
  if (!new RegExp(`^${ulidPattern}$`).test(personId)) throw notConfirmed();
  const { aggregate } = await loadAggregate(eventLog, person, streams.person(personId));
  const { state } = aggregate;
  const passkey = findPasskey(state, response.id);
  if (state.status === 'NONE' || !passkey) throw notConfirmed();
  const { verifyAuthenticationResponse } = await webAuthn();
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge.text,
    expectedOrigin: challenge.origin,
    expectedRPID: hostOf(challenge.origin),
    requireUserVerification: true,
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
      counter: passkey.counter,
      transports: passkey.transports,
    },
  }).catch(() => null);
  if (!verified?.verified) throw notConfirmed();
  const { newCounter: counter } = verified.authenticationInfo;
  const sessionId = newId(eventLog.now());
  const cause = newCause(actorOf({ personId, name: state.name }), null, origin);
  const { credentialId } = passkey;
  const { events } = await aggregate.execute(
    { type: 'signInWithPasskey', sessionId, challengeId: challenge.id, credentialId, counter },
    cause,
  );
  if (events.length === 0) throw notConfirmed();
  const started = await startSession(eventLog, { id: sessionId, personId, method: 'passkey', userAgent }, cause);
  return { personId, sessionId, ...started };
};

import {
  addPasskeyRequest,
  passkeyListResponse,
  passkeyOptionsResponse,
  passkeyParams,
  type PasskeyResponse,
  passkeyResponse,
  passkeySignInRequest,
  renamePasskeyRequest,
} from '#contracts/http/passkeys.ts';
import { sessionResponse } from '#contracts/http/session.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { readModels } from '#contracts/names.ts';
import { passkeyIdFrom } from '#application/people/identity.ts';
import {
  addPasskey,
  changePasskey,
  registrationOptions,
  signInByPasskey,
  signInOptions,
} from '#application/people/passkeys.ts';
import type { PasskeySummary, PersonDocument } from '#libs/projections/people.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { nameSchema, type Route, sessionRoute, signInRoute, created, noContent, ok } from '../server/route.ts';
import { requireChallenge, sealChallenge } from './challenge.ts';
import { completeSignIn, originOf } from './complete-sign-in.ts';
import { withSignInLimit } from './sign-in-limit.ts';

const tag = 'People';
const passkeySchema = nameSchema('Passkey', passkeyResponse);
const optionsSchema = nameSchema('PasskeyOptions', passkeyOptionsResponse);

const passkeyView = ({ credentialId, name, addedAt, lastUsedAt }: PasskeySummary): PasskeyResponse => ({
  id: passkeyIdFrom(credentialId),
  name,
  added_at: addedAt,
  last_used_at: lastUsedAt,
});

const passkeysOf = async (
  { reads, readYourWrites }: Pick<Dependencies, 'reads' | 'readYourWrites'>,
  personId: string,
): Promise<readonly PasskeySummary[]> => {
  await readYourWrites.waitForWrites(personId, readModels.people);
  return ((await reads.get(readModels.people, personId)) as PersonDocument | null)?.passkeys ?? [];
};

const requirePasskey = async (
  dependencies: Pick<Dependencies, 'reads' | 'readYourWrites'>,
  personId: string,
  id: string,
): Promise<PasskeySummary> => {
  const found = (await passkeysOf(dependencies, personId)).find(
    ({ credentialId }) => passkeyIdFrom(credentialId) === id,
  );
  if (!found) throw ApiError.of('passkey_not_found', 'You have no such passkey.');
  return found;
};

/** The header was checked before: it is an own origin. */
const originHeaderOf = ({ headers: { origin } }: { headers: { origin?: string | undefined } }): string => origin ?? '';

/** Passkeys of a person, and the sign-in with one. */
export const passkeyRoutes: Route[] = [
  sessionRoute({
    method: 'GET',
    path: '/api/v1/session/passkeys',
    operationId: 'listPasskeys',
    tag,
    summary: 'List the own passkeys',
    description: 'Lists the passkeys of the signed-in person.',
    session: 'required',
    responses: [ok('The passkeys.', nameSchema('PasskeyList', passkeyListResponse))],
    handle: async ({ person }, dependencies) => ({
      passkeys: (await passkeysOf(dependencies, person.personId)).map(passkeyView),
    }),
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/v1/session/passkeys/options',
    operationId: 'startPasskey',
    tag,
    summary: 'Start to add a passkey',
    description: 'Returns what the browser needs to create a passkey. The challenge is valid once, for 5 minutes.',
    session: 'required',
    responses: [ok('The options.', optionsSchema)],
    handle: async ({ person: { personId, name }, reply }, dependencies) => {
      const state = await dependencies.people.persons.load(personId);
      const passkeys = state.status === 'NONE' ? [] : state.passkeys;
      const origin = originHeaderOf(reply.request);
      const options = await registrationOptions({ personId, name, passkeys }, origin);
      sealChallenge(dependencies, reply, { text: options.challenge, origin, personId });
      reply.header('cache-control', 'no-store');
      return { options: { ...options } };
    },
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/v1/session/passkeys',
    operationId: 'addPasskey',
    tag,
    summary: 'Add a passkey',
    description: 'Adds the passkey that the browser has created. A person can have 20.',
    session: 'required',
    request: { body: nameSchema('NewPasskey', addPasskeyRequest) },
    responses: [created('The passkey.', passkeySchema)],
    errors: ['sign_in_failed', 'passkey_conflict'],
    handle: async ({ person: { personId }, body: { name, response }, cause, reply }, dependencies) => {
      const challenge = requireChallenge(dependencies, reply, personId);
      const added = await addPasskey(
        dependencies.eventLog,
        personId,
        { name, response: response as never, challenge },
        cause,
      );
      dependencies.readYourWrites.recordWrite(personId, added.position, readModels.people);
      reply.status(201);
      return passkeyView({ credentialId: added.credentialId, name, addedAt: added.at, lastUsedAt: null });
    },
  }),
  sessionRoute({
    method: 'PUT',
    path: '/api/v1/session/passkeys/{passkey_id}',
    operationId: 'renamePasskey',
    tag,
    summary: 'Rename a passkey',
    description: 'Gives a passkey of the signed-in person another name.',
    session: 'required',
    request: { params: passkeyParams, body: nameSchema('PasskeyName', renamePasskeyRequest) },
    responses: [ok('The passkey.', passkeySchema)],
    errors: ['passkey_not_found'],
    handle: async ({ person: { personId }, params, body: { name }, cause }, dependencies) => {
      const passkey = await requirePasskey(dependencies, personId, params.passkey_id);
      const { credentialId } = passkey;
      const position = await changePasskey(
        dependencies.eventLog,
        personId,
        { type: 'renamePasskey', credentialId, name },
        cause,
      );
      if (position !== null) dependencies.readYourWrites.recordWrite(personId, position, readModels.people);
      return passkeyView({ ...passkey, name });
    },
  }),
  sessionRoute({
    method: 'DELETE',
    path: '/api/v1/session/passkeys/{passkey_id}',
    operationId: 'removePasskey',
    tag,
    summary: 'Remove a passkey',
    description: 'The person can no longer sign in with the passkey. Sessions that it started continue.',
    session: 'required',
    request: { params: passkeyParams },
    responses: [noContent('The passkey was removed.')],
    errors: ['passkey_not_found'],
    handle: async ({ person: { personId }, params, cause, reply }, dependencies) => {
      const { credentialId } = await requirePasskey(dependencies, personId, params.passkey_id);
      const position = await changePasskey(
        dependencies.eventLog,
        personId,
        { type: 'removePasskey', credentialId },
        cause,
      );
      if (position !== null) dependencies.readYourWrites.recordWrite(personId, position, readModels.people);
      return reply.status(204).send();
    },
  }),
  signInRoute({
    method: 'POST',
    path: '/api/v1/session/passkey/options',
    operationId: 'startPasskeySignIn',
    tag,
    summary: 'Start to sign in with a passkey',
    description: 'Returns what the browser needs to use a passkey. The challenge is valid once, for 5 minutes.',
    session: 'start',
    responses: [ok('The options.', optionsSchema)],
    handle: async ({ reply }, dependencies) => {
      const origin = originHeaderOf(reply.request);
      const options = await signInOptions(origin);
      sealChallenge(dependencies, reply, { text: options.challenge, origin, personId: null });
      reply.header('cache-control', 'no-store');
      return { options: { ...options } };
    },
  }),
  signInRoute({
    method: 'POST',
    path: '/api/v1/session/passkey',
    operationId: 'signInWithPasskey',
    tag,
    summary: 'Sign in with a passkey',
    description: 'Starts a session, like the sign-in with a one-time link.',
    session: 'start',
    request: { body: nameSchema('PasskeySignIn', passkeySignInRequest) },
    responses: [
      created('The session has started.', nameSchema('Session', sessionResponse), {
        'Set-Cookie': 'The cookie of the session.',
      }),
    ],
    errors: ['sign_in_failed'],
    handle: async ({ body, reply }, dependencies) => {
      const { request } = reply;
      const started = await withSignInLimit(dependencies, request, async () => {
        const challenge = requireChallenge(dependencies, reply, null);
        return signInByPasskey(dependencies.eventLog, body.response as never, challenge, originOf(request));
      });
      reply.status(201);
      return completeSignIn(dependencies, reply, started);
    },
  }),
];

import {
  accountHeaders,
  listSessionsQuery,
  type RevokedSessionsResponse,
  revokedSessionsResponse,
  type SessionListResponse,
  sessionListResponse,
  sessionParams,
  sessionResponse,
  signInMethodsResponse,
  signInRequest,
} from '#contracts/http/session.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { bareId, readModels, sessionIdOf } from '#contracts/names.ts';
import { roleOf } from '#application/people/people.ts';
import { accountsOf, findSessionPage } from '#application/people/queries.ts';
import { endSession } from '#application/people/sessions.ts';
import { signInByLink } from '#application/people/sign-in.ts';
import { nameSchema, type Route, sessionRoute, signInRoute, created, noContent, ok } from '../server/route.ts';
import { chooseAccount } from './authenticate-person.ts';
import { completeSignIn, originOf } from './complete-sign-in.ts';
import { sessionView } from './session-view.ts';
import { withSignInLimit } from './sign-in-limit.ts';

const tag = 'People';
const sessionSchema = nameSchema('Session', sessionResponse);

const getSession = sessionRoute({
  method: 'GET',
  path: '/api/v1/session',
  operationId: 'getSession',
  tag,
  summary: 'Read the own session',
  description: 'Returns the signed-in person, the accounts of the person, and what the person may do in the account.',
  session: 'required',
  request: { headers: accountHeaders },
  responses: [ok('The session.', sessionSchema)],
  errors: ['account_not_found'],
  handle: async ({ person, reply }, dependencies) => {
    const { people, reads, readYourWrites } = dependencies;
    await readYourWrites.waitForWrites(person.personId, readModels.members);
    const [accounts, caller] = await Promise.all([
      accountsOf(reads, person.personId),
      chooseAccount(dependencies, person, reply.request),
    ]);
    const current = caller && {
      account: caller.account,
      permissions: caller.permissions,
      role: await roleOf(people, person.personId, caller.account.id),
    };
    reply.header('cache-control', 'no-store');
    return sessionView(person, accounts, current);
  },
});

const signIn = signInRoute({
  method: 'POST',
  path: '/api/v1/session',
  operationId: 'signIn',
  tag,
  summary: 'Sign in with a one-time link',
  description:
    'Uses the token of a link that "colophon dashboard" or the start of the service printed, and starts a session. ' +
    'The link can be used once, within 15 minutes. The session is in a cookie that scripts cannot read; it ends after ' +
    '12 hours without a request, and after 7 days.',
  session: 'start',
  request: { body: nameSchema('SignInRequest', signInRequest) },
  responses: [created('The session has started.', sessionSchema, { 'Set-Cookie': 'The cookie of the session.' })],
  errors: ['invalid_sign_in_link', 'used_sign_in_link', 'expired_sign_in_link'],
  handle: async ({ body, reply }, dependencies) => {
    const { request } = reply;
    const started = await withSignInLimit(dependencies, request, () =>
      signInByLink(dependencies.eventLog, body.token, originOf(request)),
    );
    reply.status(201);
    return completeSignIn(dependencies, reply, started);
  },
});

const signOut = sessionRoute({
  method: 'DELETE',
  path: '/api/v1/session',
  operationId: 'signOut',
  tag,
  summary: 'Sign out',
  description: 'Ends the session of this browser.',
  session: 'required',
  responses: [noContent('The session has ended.')],
  handle: async ({ person, cause, reply }, { eventLog, cookies }) => {
    await endSession(eventLog, { id: person.sessionId, personId: person.personId }, 'signOut', cause);
    cookies.clear(reply, 'session');
    return reply.status(204).send();
  },
});

/** Passkeys belong to a host name; an address has none. */
const hasHostName = ({ headers: { host = '' } }: { headers: { host?: string | undefined } }): boolean =>
  !/^(?:[\d.]+|\[.*\])(?::\d+)?$/.test(host);

const signInMethods = signInRoute({
  method: 'GET',
  path: '/api/v1/session/methods',
  operationId: 'listSignInMethods',
  tag,
  summary: 'List the ways to sign in',
  description: 'Says how people can sign in to this service.',
  session: 'start',
  responses: [ok('The ways to sign in.', nameSchema('SignInMethods', signInMethodsResponse))],
  handle: async ({ reply }, { identityProvider }) => ({
    link: true,
    passkey: hasHostName(reply.request),
    oidc: identityProvider !== null,
  }),
});

const listSessions = sessionRoute({
  method: 'GET',
  path: '/api/v1/session/sessions',
  operationId: 'listSessions',
  tag,
  summary: 'List the own sessions',
  description:
    'Lists the sessions of the signed-in person that have not ended. A page can have fewer sessions than `limit` ' +
    'although `next_cursor` is not null.',
  session: 'required',
  request: { query: listSessionsQuery },
  responses: [ok('A page of sessions.', nameSchema('SessionList', sessionListResponse))],
  handle: async (
    { person: { personId, sessionId }, query: { limit, cursor } },
    { reads, readYourWrites, eventLog },
  ): Promise<SessionListResponse> => {
    await readYourWrites.waitForWrites(personId, readModels.sessions);
    const before = cursor && bareId('session', cursor);
    const { sessions, next } = await findSessionPage(reads, personId, { before, limit }, eventLog.now());
    return {
      sessions: sessions.map(({ id, method, userAgent, startedAt, lastUsedAt, expiresAt }) => ({
        id: sessionIdOf(id),
        current: id === sessionId,
        method,
        user_agent: userAgent,
        started_at: startedAt,
        last_used_at: lastUsedAt,
        expires_at: expiresAt,
      })),
      next_cursor: next === null ? null : sessionIdOf(next),
    };
  },
});

const revokedSchema = nameSchema('RevokedSessions', revokedSessionsResponse);

const revokeSession = sessionRoute({
  method: 'DELETE',
  path: '/api/v1/session/sessions/{session_id}',
  operationId: 'revokeSession',
  tag,
  summary: 'Revoke one of the own sessions',
  description: 'Ends a session of the signed-in person. Its next request is answered with 401, in every process.',
  session: 'required',
  request: { params: sessionParams },
  responses: [ok('The session was revoked.', revokedSchema)],
  errors: ['session_not_found'],
  handle: async ({ person: { personId }, params, cause }, { eventLog, readYourWrites }) => {
    const id = bareId('session', params.session_id);
    const position = id === undefined ? null : await endSession(eventLog, { id, personId }, 'revoke', cause);
    if (position === null) throw ApiError.of('session_not_found', 'You have no such session that is active.');
    readYourWrites.recordWrite(personId, position, readModels.sessions);
    return { revoked: 1 };
  },
});

const revokeOtherSessions = sessionRoute({
  method: 'DELETE',
  path: '/api/v1/session/sessions',
  operationId: 'revokeOtherSessions',
  tag,
  summary: 'Revoke all other own sessions',
  description: 'Ends all sessions of the signed-in person except that of this request.',
  session: 'required',
  responses: [ok('The number of revoked sessions.', revokedSchema)],
  handle: async ({ person, cause }, { eventLog, reads, readYourWrites }): Promise<RevokedSessionsResponse> => {
    const { personId, sessionId } = person;
    await readYourWrites.waitForWrites(personId, readModels.sessions);
    let revoked = 0;
    let before: string | undefined;
    do {
      const { sessions, next } = await findSessionPage(reads, personId, { before, limit: 100 }, eventLog.now());
      const others = sessions.filter(({ id }) => id !== sessionId);
      const ended = await Promise.all(others.map(({ id }) => endSession(eventLog, { id, personId }, 'revoke', cause)));
      const positions = ended.filter((position) => position !== null);
      revoked += positions.length;
      for (const position of positions) readYourWrites.recordWrite(personId, position, readModels.sessions);
      before = next ?? undefined;
    } while (before !== undefined);
    return { revoked };
  },
});

/** Sign-in with a one-time link, and the sessions of a person. */
export const sessionRoutes: Route[] = [
  getSession,
  signIn,
  signOut,
  signInMethods,
  listSessions,
  revokeOtherSessions,
  revokeSession,
];

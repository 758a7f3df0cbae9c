import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SessionResponse } from '#contracts/http/session.ts';
import { readModels } from '#contracts/names.ts';
import { callerOfPerson } from '#application/callers/caller.ts';
import { authenticateSession, roleOf } from '#application/people/people.ts';
import { accountsOf } from '#application/people/queries.ts';
import { recordAccounts } from '#application/people/sessions.ts';
import type { SignIn, SignInOrigin } from '#application/people/sign-in.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { causeOfPerson } from '../server/request.ts';
import { sessionView } from './session-view.ts';

export type SignInDependencies = Pick<Dependencies, 'eventLog' | 'people' | 'reads' | 'cookies' | 'readYourWrites'>;

/** What a sign-in records about its request. */
export const originOf = ({ id, traceparent, headers }: FastifyRequest): SignInOrigin => ({
  correlationId: id,
  traceparent,
  userAgent: headers['user-agent'] ?? null,
});

/** Gives the browser its session, and returns what a page must know. A link leads to its account first. */
export const completeSignIn = async (
  { eventLog, people, reads, cookies, readYourWrites }: SignInDependencies,
  reply: FastifyReply,
  { personId, sessionId, token, position, accountId = null }: SignIn & { accountId?: string | null },
): Promise<SessionResponse> => {
  cookies.set(reply, 'session', token);
  reply.header('cache-control', 'no-store');
  const models = [readModels.people, readModels.sessions, readModels.members];
  readYourWrites.recordWrite(personId, position, ...models);
  // The session has started, whether its account can be shown now or a moment later.
  await readYourWrites.waitForWrites(personId, ...models).catch(() => undefined);
  const person = await authenticateSession(people, token, eventLog.now());
  const accounts = await accountsOf(reads, personId);
  // The events of a link are in the history of its account already.
  const others = accounts.map(({ account }) => account.id).filter((id) => id !== accountId);
  const cause = causeOfPerson(reply.request, person);
  await recordAccounts(eventLog, sessionId, others, (id) => ({ ...cause, accountId: id }));
  const first = accounts.find(({ account }) => account.id === accountId) ?? accounts[0];
  const role = first ? await roleOf(people, personId, first.account.id) : null;
  const { permissions } = first ? callerOfPerson(person, first.account, role) : { permissions: [] };
  return sessionView(person, accounts, first ? { account: first.account, role, permissions } : null);
};

import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '#contracts/http/api-error.ts';
import type { LimitStatus } from '#libs/limits/port.ts';
import { bareId } from '#contracts/names.ts';
import { type Caller, callerOfPerson } from '#application/callers/caller.ts';
import { authenticateSession, roleOf, type SignedInPerson } from '#application/people/people.ts';
import { accountIdsOf } from '#application/people/queries.ts';
import { extendSession } from '#application/people/sessions.ts';
import { isExtensionDue } from '#libs/domain/session.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { readQuota, reportStatus, requireRateLimitLeft, setLimitHeaders } from '../server/rate-limit.ts';
import { causeOfPerson } from '../server/request.ts';
import { requireOwnOrigin } from './own-origin.ts';

export type PersonDependencies = Pick<
  Dependencies,
  'eventLog' | 'people' | 'accounts' | 'reads' | 'cookies' | 'limits' | 'readYourWrites' | 'baseUrl'
>;

/** The requests of one person a minute, for all accounts together. Of them, only renders count toward the limit of an account. */
const personRequestsPerMinute = 600;

const countPersonRequest = async (
  { limits }: PersonDependencies,
  { personId }: SignedInPerson,
  reply: FastifyReply,
  now: Date,
): Promise<LimitStatus> => {
  const limit = { perMinute: personRequestsPerMinute, perMonth: null };
  const { rateLimit } = await limits.countRequest(`person/${personId}`, limit, now);
  setLimitHeaders(reply, 'ratelimit', rateLimit);
  requireRateLimitLeft(rateLimit, now, (perMinute) => `A person may send ${perMinute} requests a minute.`);
  return rateLimit;
};

/** The signed-in person of a request without an API key. @throws ApiError invalid_session, cross_origin_request */
export const authenticatePerson = async (
  dependencies: PersonDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ person: SignedInPerson; rateLimit: LimitStatus }> => {
  const { cookies, people, eventLog, baseUrl } = dependencies;
  const token = cookies.read(request, 'session');
  if (token === null) throw ApiError.of('invalid_session', 'You are not signed in.');
  requireOwnOrigin(request, baseUrl);
  const now = eventLog.now();
  const person = await authenticateSession(people, token, now);
  request.person = person;
  const rateLimit = await countPersonRequest(dependencies, person, reply, now);
  if (isExtensionDue(person, now)) {
    await extendSession(eventLog, person.sessionId, causeOfPerson(request, person));
    cookies.set(reply, 'session', token);
  }
  return { person, rateLimit };
};

/** The account that the request names. An EventSource or a download cannot send a header. */
const namedAccountOf = ({ headers, query }: FastifyRequest): string | undefined => {
  const header = headers['x-colophon-account'];
  const { account } = query as Record<string, unknown>;
  if (typeof header === 'string') return header;
  // Two accounts are none: which one was meant is unknown.
  return Array.isArray(account) ? '' : (account as string | undefined);
};

const noSuchAccount = (): ApiError => ApiError.of('account_not_found', 'You are not a member of such an account.');

/**
 * The account that a person acts for: the named one, or the first one of the person. Null if the person has none.
 * @throws ApiError account_not_found if the named one does not exist, or is that of others
 */
export const chooseAccount = async (
  { people, accounts, reads, readYourWrites }: Pick<Dependencies, 'people' | 'accounts' | 'reads' | 'readYourWrites'>,
  person: SignedInPerson,
  request: FastifyRequest,
): Promise<Caller | null> => {
  const named = namedAccountOf(request);
  if (named === undefined) await readYourWrites.waitForWrites(person.personId, 'members');
  const ids = named === undefined ? await accountIdsOf(reads, person) : [bareId('acc', named)];
  for (const id of ids) {
    const account = id === undefined ? null : await accounts.find(id);
    const role = account && (await roleOf(people, person.personId, account.id));
    if (account && (role !== null || person.isOperator)) return callerOfPerson(person, account, role);
  }
  if (named === undefined) return null;
  throw noSuchAccount();
};

/** Makes a signed-in person the caller of a request to an account. @throws ApiError account_not_found */
export const authenticateMember = async (
  dependencies: PersonDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller> => {
  const { person, rateLimit } = await authenticatePerson(dependencies, request, reply);
  const caller = await chooseAccount(dependencies, person, request);
  if (!caller) throw noSuchAccount();
  // The routes do not know the parameter.
  delete (request.query as Record<string, unknown>).account;
  request.caller = caller;
  const quota = await readQuota(dependencies.limits, caller.account, dependencies.eventLog.now());
  reportStatus(reply, { rateLimit, quota });
  return caller;
};

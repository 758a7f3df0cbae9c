import type { FastifyRequest } from 'fastify';
import type { Permission } from '#contracts/events/account.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { errors } from '#contracts/http/errors.ts';
import type { KeyCache } from '#application/api-keys/queries.ts';
import type { EventLog } from '#application/command-handling/aggregate.ts';
import { type Caller, callerOfPerson } from '#application/callers/caller.ts';
import { authenticateSession, type People, roleOf } from '#application/people/people.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { ReadCache } from '#libs/concurrency/read-cache.ts';
import { authenticate, requireActive, requirePermission } from '../server/authenticate.ts';
import type { Cookies } from '../sessions/cookies.ts';

type AccessDependencies = {
  eventLog: EventLog;
  keys: KeyCache;
  people: People;
  accounts: ReadCache<AccountDocument>;
  cookies: Cookies;
};

/** Whether the caller of a request that is still being answered has a permission in the account of the request. */
export type AccessCheck = (request: FastifyRequest, permission: Permission) => Promise<boolean>;

const callerNow = async (
  { keys, people, accounts, cookies, eventLog }: AccessDependencies,
  request: FastifyRequest,
  accountId: string,
): Promise<Caller | null> => {
  const now = eventLog.now();
  if (request.person === null) {
    const caller = await authenticate(keys, request.raw, now);
    requireActive(caller.account);
    return caller;
  }
  const person = await authenticateSession(people, cookies.read(request, 'session') ?? '', now);
  const account = await accounts.find(accountId);
  return account && callerOfPerson(person, account, await roleOf(people, person.personId, accountId));
};

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && [401, 403, 404].includes(errors[error.fields.name].status);

/** Checks sessions, keys, roles and permissions anew. Rejects if they cannot be checked at present. */
export const createAccessCheck =
  (dependencies: AccessDependencies): AccessCheck =>
  async (request, permission) => {
    const { caller } = request;
    if (caller === null) return false;
    try {
      const now = await callerNow(dependencies, request, caller.account.id);
      if (now === null || now.account.id !== caller.account.id) return false;
      requirePermission(now, permission);
      return true;
    } catch (error) {
      if (isRefusal(error)) return false;
      throw error;
    }
  };

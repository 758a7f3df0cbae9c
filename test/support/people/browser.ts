import type { FastifyInstance } from 'fastify';
import { accountIdOf } from '#contracts/names.ts';
import type { Role } from '#contracts/roles.ts';
import { issueSignInLink } from '#application/people/sign-in-links.ts';
import type { EventLog } from '#application/command-handling/aggregate.ts';

const actor = { kind: 'person', name: 'tests' } as const;

const ownOrigin = 'http://localhost';

export type LinkOptions = { email?: string; accountId?: string | null; role?: Role | null; operator?: boolean };

/** The token of a new one-time link. `accountId` is bare. */
export const issueToken = async (
  eventLog: EventLog,
  { email = 'ada@example.com', accountId = null, role = null, operator = false }: LinkOptions,
): Promise<string> =>
  (await issueSignInLink(eventLog, actor, { identity: { kind: 'email', email }, accountId, role, operator })).token;

type RequestOptions = { body?: unknown; headers?: Record<string, string | undefined>; account?: string };

/** A browser with its cookies that sends requests from the pages of the service, without a network. */
export const openBrowser = (app: FastifyInstance, remoteAddress = '127.0.0.1') => {
  const cookies = new Map<string, string>();

  const request = async (method: string, url: string, { body, headers = {}, account }: RequestOptions = {}) => {
    const all: Record<string, string | undefined> = {
      host: 'localhost',
      origin: method === 'GET' ? undefined : ownOrigin,
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') || undefined,
      'x-colophon-account': account === undefined ? undefined : accountIdOf(account),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const response = await app.inject({
      method: method as 'GET',
      url,
      remoteAddress,
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    for (const { name, value, maxAge } of response.cookies)
      if (maxAge === 0) cookies.delete(name);
      else cookies.set(name, value);
    return {
      status: response.statusCode,
      headers: response.headers,
      body: (response.payload.startsWith('{') ? JSON.parse(response.payload) : {}) as Record<string, unknown>,
    };
  };

  return {
    cookies,
    request,
    signIn: (token: string) => request('POST', '/api/v1/session', { body: { token } }),
  };
};

export type Browser = ReturnType<typeof openBrowser>;

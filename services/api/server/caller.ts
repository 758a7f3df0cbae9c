import type { FastifyRequest } from 'fastify';
import type { Caller } from './callers.ts';

const callers = new WeakMap<FastifyRequest, Caller>();

/** Notes who sent a request, for as long as the request lives. */
export const rememberCaller = (request: FastifyRequest, caller: Caller): void => void callers.set(request, caller);

/** Who sent a request; undefined where it needed no key. */
export const callerIfAny = (request: FastifyRequest): Caller | undefined => callers.get(request);

/** Who sent an authenticated request. */
export const callerOf = (request: FastifyRequest): Caller => {
  const caller = callers.get(request);
  if (!caller) throw new Error(`${request.method} ${request.url} was not authenticated`);
  return caller;
};

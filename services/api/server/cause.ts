import type { FastifyRequest } from 'fastify';
import type { Cause } from '#application/handling/handle.ts';
import { callerOf } from './caller.ts';
import { traceparentOf } from './observe.ts';

/** A request as the origin of events: the key is the actor, the request's id the story. */
export const causeOf = (request: FastifyRequest): Cause => {
  const { key, account } = callerOf(request);
  return { actor: { kind: 'key', id: key.id }, accountId: account.id, correlationId: request.id, causationId: null, traceparent: traceparentOf(request) };
};

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Cause } from '#application/command-handling/aggregate.ts';
import type { LimitsStatus } from '#libs/limits/port.ts';
import type { Caller } from '#application/api-keys/queries.ts';
import type { JsonBody } from './body/read-json.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** W3C `traceparent` of the request's own span, or the caller's where it is not traced; null without both. */
    traceparent: string | null;
    /** Who sent the request; null where it needed no key. */
    caller: Caller | null;
    /** How the account's limits stand after this request; null before it is counted. */
    limitsStatus: LimitsStatus | null;
    /** Whether the request is counted only once its body is read. */
    countAfterBody: boolean;
    /** The body beside the fields that the route is given; null without a body. */
    receivedBody: Pick<JsonBody, 'longTexts' | 'sha256'> | null;
  }
}

/** Declares what hooks note about a request. Call it before routes are added. */
export const decorateRequests = (app: FastifyInstance): void => {
  app.decorateRequest('traceparent', null);
  app.decorateRequest('caller', null);
  app.decorateRequest('limitsStatus', null);
  app.decorateRequest('countAfterBody', false);
  app.decorateRequest('receivedBody', null);
};

/** Who sent an authenticated request. */
export const callerOf = ({ caller, method, url }: FastifyRequest): Caller => {
  if (!caller) throw new Error(`${method} ${url} was not authenticated`);
  return caller;
};

/** How the limits of an authenticated request's account stand. Without a limit `used` tells nothing. */
export const limitsStatusOf = ({ limitsStatus, method, url }: FastifyRequest): LimitsStatus => {
  if (!limitsStatus) throw new Error(`${method} ${url} was not counted`);
  return limitsStatus;
};

/** A request as the origin of events: the key is the actor, the request's id correlates them. */
export const causeOf = (request: FastifyRequest): Cause => {
  const { key, account } = callerOf(request);
  return {
    actor: { kind: 'key', id: key.id },
    accountId: account.id,
    correlationId: request.id,
    causationId: null,
    traceparent: request.traceparent,
  };
};

/** Whether the SHA-256 of the body is needed: where the caller may send it again. */
export const needsBodyHash = ({ headers }: FastifyRequest): boolean => headers['idempotency-key'] !== undefined;

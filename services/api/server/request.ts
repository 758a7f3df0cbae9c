import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Cause, newCause, type RequestOrigin } from '#application/command-handling/aggregate.ts';
import type { LimitsStatus } from '#libs/limits/port.ts';
import type { Caller } from '#application/callers/caller.ts';
import { actorOf, type SignedInPerson } from '#application/people/people.ts';
import type { RequestBody } from './body/read-json.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** W3C `traceparent` of the request's span, or of the caller if the request is not traced; null without both. */
    traceparent: string | null;
    /** The caller; null if the request needed no key. */
    caller: Caller | null;
    /** The signed-in person; null for an API key, and before sign-in. */
    person: SignedInPerson | null;
    /** The state of the account's limits after this request; null before it is counted. */
    limitsStatus: LimitsStatus | null;
    /** Whether the request is counted after its body is read. */
    countAfterBody: boolean;
    /** What the body has besides fields; null without a body. */
    receivedBody: Omit<RequestBody, 'fields' | 'exactSampleData'> | null;
  }
}

/** Declares the properties that hooks set on a request. Call it before adding routes. */
export const decorateRequests = (app: FastifyInstance): void => {
  app.decorateRequest('traceparent', null);
  app.decorateRequest('caller', null);
  app.decorateRequest('person', null);
  app.decorateRequest('limitsStatus', null);
  app.decorateRequest('countAfterBody', false);
  app.decorateRequest('receivedBody', null);
};

/** The caller of an authenticated request. */
export const callerOf = ({ caller, method, url }: FastifyRequest): Caller => {
  if (!caller) throw new Error(`${method} ${url} was not authenticated`);
  return caller;
};

/** The state of the limits of an authenticated request's account. Without a limit `used` is not meaningful. */
export const limitsStatusOf = ({ limitsStatus, method, url }: FastifyRequest): LimitsStatus => {
  if (!limitsStatus) throw new Error(`${method} ${url} was not counted`);
  return limitsStatus;
};

/** The correlation id is the request id. */
const originOf = ({ id, traceparent }: FastifyRequest): RequestOrigin => ({ correlationId: id, traceparent });

/** The cause of the events of a request: the actor is the caller. */
export const causeOf = (request: FastifyRequest): Cause => {
  const { actor, account } = callerOf(request);
  return newCause(actor, account.id, originOf(request));
};

/** The cause of the events of a signed-in person who acts for no account. */
export const causeOfPerson = (request: FastifyRequest, person: SignedInPerson): Cause =>
  newCause(actorOf(person), null, originOf(request));

/** Only requests with an Idempotency-Key need the SHA-256 of the body. */
export const needsBodyHash = ({ headers }: FastifyRequest): boolean => headers['idempotency-key'] !== undefined;

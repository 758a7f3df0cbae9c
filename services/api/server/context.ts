import type { FastifyReply } from 'fastify';
import type { Cause } from '#application/command-handling/aggregate.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import type { LimitStatus } from '#libs/limits/port.ts';
import type { Caller } from '#application/callers/caller.ts';
import type { SignedInPerson } from '#application/people/people.ts';
import type { LongTexts, Upload } from '#application/renders/render-content.ts';

/**
 * The request as a handler gets it. `id` is the bare id for the render or template that the request creates, if any.
 */
export type RequestContext<B = unknown, Q = unknown, P = unknown> = {
  id: string;
  caller: Caller | null;
  /** The signed-in person; null for an API key, and before sign-in. */
  person: SignedInPerson | null;
  body: B;
  query: Q;
  params: P;
  reply: FastifyReply;
};

/**
 * The same with the caller: `rateLimit` and `quota` are the state of its limits, `longTexts` the long texts of the
 * body, `upload` what a multipart body has besides fields.
 */
export type CallerContext<B = unknown, Q = unknown, P = unknown> = RequestContext<B, Q, P> &
  Caller & {
    limits: PlanLimits;
    rateLimit: LimitStatus;
    quota: LimitStatus;
    cause: Cause;
    longTexts: LongTexts;
    /** The long texts of each part of a composed document. */
    partTexts: LongTexts[];
    upload: Upload | null;
  };

/** The request of a signed-in person who acts for no account. */
export type SessionContext<B = unknown, Q = unknown, P = unknown> = RequestContext<B, Q, P> & {
  person: SignedInPerson;
  cause: Cause;
};

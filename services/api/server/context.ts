import type { FastifyReply } from 'fastify';
import type { Cause } from '#application/command-handling/aggregate.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import type { LimitStatus } from '#libs/limits/port.ts';
import type { Caller } from '#application/api-keys/queries.ts';
import type { LongTexts } from './body/read-json.ts';

/** The request as a handler gets it. `id` is the bare id for the render or template that the request creates, if any. */
export type RequestContext<B = unknown, Q = unknown, P = unknown> = {
  id: string;
  requestId: string;
  caller: Caller | null;
  body: B;
  query: Q;
  params: P;
  reply: FastifyReply;
};

/** The same with the caller: `rateLimit` and `quota` are the state of its limits, `longTexts` the long texts of the body. */
export type CallerContext<B = unknown, Q = unknown, P = unknown> = RequestContext<B, Q, P> &
  Caller & { limits: PlanLimits; rateLimit: LimitStatus; quota: LimitStatus; cause: Cause; longTexts: LongTexts };

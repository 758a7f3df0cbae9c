import type { FastifyReply } from 'fastify';
import type { Cause } from '#application/command-handling/aggregate.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import type { LimitStatus } from '#libs/limits/port.ts';
import type { Caller } from '#application/api-keys/queries.ts';
import type { LongTexts } from './body/read-json.ts';

/** What a handler is given. `id` is the bare id for what the request makes, if it makes anything. */
export type RequestContext<B = unknown, Q = unknown, P = unknown> = {
  id: string;
  requestId: string;
  caller: Caller | null;
  body: B;
  query: Q;
  params: P;
  reply: FastifyReply;
};

/** The same with an account: `minute` and `month` are how its limits stand, `written` the long texts of the body. */
export type CallerContext<B = unknown, Q = unknown, P = unknown> = RequestContext<B, Q, P> &
  Caller & { limits: PlanLimits; rateLimit: LimitStatus; quota: LimitStatus; cause: Cause; longTexts: LongTexts };

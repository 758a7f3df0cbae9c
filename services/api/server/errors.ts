import type { FastifyReply } from 'fastify';
import { errors } from '#contracts/http/errors.ts';
import type { Fault } from '#contracts/http/problem.ts';
import { count } from '#libs/telemetry/metrics.ts';
import { traceOf } from './observe.ts';

/** What callers are told of a failure that is nothing to them. */
export const internalFault: Fault = { name: 'internal_error', message: 'The service failed. The request_id finds the reason in its log.', extra: {} };

/** The JSON of an error answer. */
export const faultBody = (fault: Fault, requestId: string, more: Record<string, unknown> = {}): string => {
  const { error, status } = errors[fault.name];
  return JSON.stringify({ error, message: fault.message, code: status, ...fault.extra, ...more, request_id: requestId });
};

/** Answers with an error: the one place where a fault becomes a response. `more` are further fields, such as the render's id. */
export const sendFault = (reply: FastifyReply, fault: Fault, more: Record<string, unknown> = {}): FastifyReply => {
  const { status } = errors[fault.name];
  const retryAfter = fault.extra.retry_after;
  if (typeof retryAfter === 'number') reply.header('retry-after', String(retryAfter));
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  count('colophon.errors', 1, { error: fault.name });
  const traceId = traceOf(reply.request);
  return reply
    .status(status)
    .type('application/json; charset=utf-8')
    .send(faultBody(fault, reply.request.id, traceId === null ? more : { ...more, trace_id: traceId }));
};

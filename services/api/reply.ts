import type { FastifyReply } from 'fastify';
import { errors } from '#contracts/http/errors.ts';
import type { Fault } from '#contracts/http/problem.ts';

/** Answers with an error: the one place where a fault becomes a response. `more` are further fields, such as the render's id. */
export const sendFault = (reply: FastifyReply, fault: Fault, more: Record<string, unknown> = {}): FastifyReply => {
  const { error, status } = errors[fault.name];
  const retryAfter = fault.extra.retry_after;
  if (typeof retryAfter === 'number') reply.header('retry-after', String(retryAfter));
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  return reply
    .status(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ error, message: fault.message, code: status, ...fault.extra, ...more, request_id: reply.request.id }));
};

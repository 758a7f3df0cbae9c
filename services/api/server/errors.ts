import type { FastifyError, FastifyReply } from 'fastify';
import { errors } from '#contracts/http/errors.ts';
import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';
import { BlobNotFound } from '#libs/blob-store/port.ts';
import { count } from '#libs/telemetry/metrics.ts';
import { traceIdOf } from '#libs/telemetry/tracing.ts';

/** What callers are told of a failure inside the service. */
export const internalError: ApiErrorFields = {
  name: 'internal_error',
  message: 'The service failed. The request_id finds the reason in its log.',
  extra: {},
};

/** The event log names stored content that is lost. The operator learns of it from /health/ready. */
const missingContentError: ApiErrorFields = {
  name: 'service_unavailable',
  message: 'The content cannot be read at present. Try again later.',
  extra: { retry_after: 60 },
};

/** The fault that an error stands for; null for a failure inside the service. */
export const apiErrorFieldsOf = (error: unknown): ApiErrorFields | null => {
  if (error instanceof ApiError) return error.fields;
  if (error instanceof BlobNotFound) return missingContentError;
  const { statusCode, message } = error as Partial<FastifyError>;
  if (!statusCode || statusCode >= 500) return null;
  return { name: 'invalid_request', message: message ?? 'The request is malformed.', extra: {} };
};

/** The JSON of an error answer. */
export const errorBody = (fault: ApiErrorFields, requestId: string, more: Record<string, unknown> = {}): string => {
  const { error, status } = errors[fault.name];
  return JSON.stringify({
    error,
    message: fault.message,
    code: status,
    ...fault.extra,
    ...more,
    request_id: requestId,
  });
};

/** Answers with an error: the one place where a fault becomes a response. `more` are further fields, such as the render's id. */
export const sendError = (
  reply: FastifyReply,
  fault: ApiErrorFields,
  more: Record<string, unknown> = {},
): FastifyReply => {
  const { status } = errors[fault.name];
  const retryAfter = fault.extra.retry_after;
  if (typeof retryAfter === 'number') reply.header('retry-after', String(retryAfter));
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  count('colophon.api.errors', 1, { error: fault.name });
  const traceId = traceIdOf(reply.request.traceparent);
  return reply
    .status(status)
    .type('application/json; charset=utf-8')
    .send(errorBody(fault, reply.request.id, traceId === null ? more : { ...more, trace_id: traceId }));
};

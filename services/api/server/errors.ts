import type { FastifyError, FastifyReply } from 'fastify';
import { errors } from '#contracts/http/errors.ts';
import { type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';
import { BlobNotFound } from '#libs/blob-store/port.ts';
import { RevisionConflict } from '#libs/event-store/port.ts';
import { count } from '#libs/telemetry/metrics.ts';
import { traceIdOf } from '#libs/telemetry/traceparent.ts';

/** The error of an unexpected failure. */
export const internalError: ApiErrorFields = {
  name: 'internal_error',
  message: 'The service failed. Its log has the reason under the request_id.',
  extra: {},
};

/** The event log refers to an input that is lost. /health/ready reports it to the operator. */
const missingContentError: ApiErrorFields = {
  name: 'service_unavailable',
  message: 'The content cannot be read at present. Try again later.',
  extra: { retry_after: 60 },
};

const invalidContentType: ApiErrorFields = {
  name: 'invalid_request',
  message: 'The content type must be one media type, such as application/json.',
  extra: { field: 'Content-Type' },
};

/** Other processes kept appending to the same stream. */
const concurrentChangesError: ApiErrorFields = {
  name: 'service_unavailable',
  message: 'There are too many concurrent changes of the same kind. Try again.',
  extra: { retry_after: 1 },
};

/** The fields of an error for the caller; null for an unexpected failure. */
export const apiErrorFieldsOf = (error: unknown): ApiErrorFields | null => {
  if (error instanceof ApiError) return error.fields;
  if (error instanceof BlobNotFound) return missingContentError;
  if (error instanceof RevisionConflict) return concurrentChangesError;
  const { statusCode, message, code } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return invalidContentType;
  if (!statusCode || statusCode >= 500) return null;
  return { name: 'invalid_request', message: message ?? 'The request is malformed.', extra: { field: 'request' } };
};

/** The JSON body of an error response. */
export const errorBody = (fields: ApiErrorFields, requestId: string, extra: Record<string, unknown> = {}): string => {
  const { error, status } = errors[fields.name];
  return JSON.stringify({
    error,
    message: fields.message,
    code: status,
    ...fields.extra,
    ...extra,
    request_id: requestId,
  });
};

/** Sends an error response. `extra` are further fields, such as the id of the render. */
export const sendError = (
  reply: FastifyReply,
  fields: ApiErrorFields,
  extra: Record<string, unknown> = {},
): FastifyReply => {
  const { status } = errors[fields.name];
  const retryAfter = fields.extra.retry_after;
  if (typeof retryAfter === 'number') reply.header('retry-after', String(retryAfter));
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  count('colophon.api.errors', 1, { error: fields.name });
  const traceId = traceIdOf(reply.request.traceparent);
  return reply
    .status(status)
    .type('application/json; charset=utf-8')
    .send(errorBody(fields, reply.request.id, traceId === null ? extra : { ...extra, trace_id: traceId }));
};

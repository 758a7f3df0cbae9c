import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { truncateForMessage, type ApiErrorFields, invalidField } from '#contracts/http/api-error.ts';
import { newRequestId } from '#libs/ids/ulids.ts';
import { count } from '#libs/telemetry/metrics.ts';
import { errorBody, sendError } from './errors.ts';

const malformedRequest = (message: string, field: string): ApiErrorFields => ({
  name: 'invalid_request',
  message,
  extra: { field },
});

/** Responds to a request whose path cannot be decoded. */
export const handleUnreadablePath = (_: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  request.log.debug({ method: request.method, status: 400 }, 'request rejected: unreadable path');
  return sendError(
    reply.header('x-request-id', request.id),
    malformedRequest(
      'The path of the request cannot be read: it has invalid percent escapes or a segment that is too long.',
      'path',
    ),
  );
};

const messagesByErrorCode: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
  HPE_HEADER_OVERFLOW: 'The header fields of the request are too large; at most 16 KB are allowed.',
};

type ClientError = Error & { code?: string; bytesParsed?: number; rawPacket?: Buffer };

/** The method of a request, if it is the only thing that the HTTP parser does not know. */
const unknownMethodOf = ({ code, bytesParsed = 0, rawPacket }: ClientError): string | undefined => {
  if (code !== 'HPE_INVALID_METHOD') return undefined;
  const method = /^([\w!#$%&'*+.^`|~-]{1,32}) \S/.exec(rawPacket?.toString('latin1', 0, 64) ?? '')?.[1];
  // Beyond the first word, the parser has read another request before this one.
  return method !== undefined && bytesParsed <= method.length ? method : undefined;
};

const problemOf = (error: ClientError): string => {
  const method = unknownMethodOf(error);
  if (method !== undefined) return `The service does not know the method ${method}. Methods are in capital letters.`;
  return messagesByErrorCode[error.code ?? ''] ?? 'The request is not valid HTTP (RFC 9112).';
};

/**
 * Responds to a malformed or incomplete HTTP request and closes the connection. No hook sees these requests, so it counts
 * and logs them itself.
 */
export const createClientErrorHandler =
  (logger: Pick<FastifyBaseLogger, 'debug'>) =>
  (error: ClientError, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const id = newRequestId();
    count('colophon.api.errors', 1, { error: 'invalid_request' });
    logger.debug({ request_id: id, code: error.code, status: 400 }, 'request rejected: malformed');
    const body = errorBody(malformedRequest(problemOf(error), 'request'), id);
    const head = [
      'HTTP/1.1 400 Bad Request',
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${id}`,
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };

/** @throws ApiError invalid_request if there is not the one Host header that RFC 9112 (3.2) requires */
export const requireHost = ({ raw, headers }: FastifyRequest): void => {
  if (headers.host === undefined && raw.httpVersion === '1.1')
    throw invalidField('Host', 'The Host header is missing.');
  const names = raw.rawHeaders.filter((_, index) => index % 2 === 0);
  if (names.filter((name) => name.toLowerCase() === 'host').length > 1)
    throw invalidField('Host', 'The request has the Host header more than once. Send it once.');
};

/** Responds to requests with an Expect header other than `100-continue`; they reach no route. */
export const handleUnknownExpectations = (
  server: Pick<Server, 'on'>,
  logger: Pick<FastifyBaseLogger, 'debug'>,
): void => {
  server.on('checkExpectation', ({ headers }: IncomingMessage, response: ServerResponse) => {
    const id = newRequestId();
    count('colophon.api.errors', 1, { error: 'expectation_failed' });
    logger.debug({ request_id: id, status: 417 }, 'request rejected: unknown expectation');
    const fields: ApiErrorFields = {
      name: 'expectation_failed',
      message: `"Expect: ${truncateForMessage(String(headers.expect))}" is not supported; only 100-continue is allowed.`,
      extra: { field: 'Expect' },
    };
    const body = errorBody(fields, id);
    response
      .writeHead(417, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
        'X-Request-Id': id,
      })
      .end(body);
  });
};

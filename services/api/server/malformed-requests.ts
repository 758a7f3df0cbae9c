import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { truncateForMessage, type ApiErrorFields, ApiError } from '#contracts/http/api-error.ts';
import { newId } from '#libs/ids/ulids.ts';
import { count } from '#libs/telemetry/metrics.ts';
import { errorBody, sendError } from './errors.ts';

/** `req_<id>`; it is in the answer, in the log and in the events that follow. */
export const newRequestId = (): string => `req_${newId()}`;

const malformedRequest = (message: string): ApiErrorFields => ({ name: 'invalid_request', message, extra: {} });

/** Answers a request whose path cannot be read, and so leads to no route. */
export const handleUnreadablePath = (_: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  request.log.debug({ method: request.method, status: 400 }, 'a request with an unreadable path was answered');
  return sendError(
    reply.header('x-request-id', request.id),
    malformedRequest(
      'The path of the request cannot be read: its percent escapes are wrong, or a part of it is too long.',
    ),
  );
};

const messagesByErrorCode: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive within the time that one may take.',
  HPE_HEADER_OVERFLOW: 'The header fields of the request are too large; together they may have 16 KB.',
};

/** What answers what is no HTTP request, or never becomes a whole one, and hangs up. Nothing else sees these, so it counts them and writes their line itself. */
export const createClientErrorHandler =
  (log: Pick<FastifyBaseLogger, 'debug'>) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const id = newRequestId();
    count('colophon.api.errors', 1, { error: 'invalid_request' });
    log.debug({ request_id: id, code: error.code, status: 400 }, 'a broken request was answered');
    const body = errorBody(
      malformedRequest(messagesByErrorCode[error.code ?? ''] ?? 'The request is not HTTP as RFC 9112 has it.'),
      id,
    );
    const head = [
      'HTTP/1.1 400 Bad Request',
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${id}`,
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };

/** @throws Problem for a request that must name its host (RFC 9112, 3.2) and does not */
export const requireHost = ({ raw, headers }: FastifyRequest): void => {
  if (headers.host === undefined && raw.httpVersion === '1.1')
    throw ApiError.of('invalid_request', 'The Host header is missing.', { field: 'Host' });
};

/** Answers requests that expect something else than `100-continue`; they never come to a route. */
export const handleUnknownExpectations = (server: Pick<Server, 'on'>, log: Pick<FastifyBaseLogger, 'debug'>): void => {
  server.on('checkExpectation', ({ headers }: IncomingMessage, response: ServerResponse) => {
    const id = newRequestId();
    count('colophon.api.errors', 1, { error: 'expectation_failed' });
    log.debug({ request_id: id, status: 417 }, 'a request with an unknown expectation was answered');
    const fault: ApiErrorFields = {
      name: 'expectation_failed',
      message: `The service does not know what "Expect: ${truncateForMessage(String(headers.expect))}" asks for; only 100-continue is allowed.`,
      extra: { field: 'Expect' },
    };
    const body = errorBody(fault, id);
    response
      .writeHead(417, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
        'X-Request-Id': id,
      })
      .end(body);
  });
};

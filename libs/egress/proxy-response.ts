import { STATUS_CODES, type ServerResponse } from 'node:http';
import { type Duplex, Transform } from 'node:stream';
import { EgressError, blockedError } from './errors.ts';

/** Marks the proxy's own error responses. A server cannot send it: {@link proxyHeaders}. */
export const proxyHeaders = ['x-colophon-error'];

const statusByKind = { blocked: 403, timeout: 504, failed: 502 } as const;

const errorResponse = (error: unknown): { status: number; headers: string[]; body: string } => {
  const fields =
    error instanceof EgressError ? error.fields : ({ kind: 'failed', reason: 'The request failed.' } as const);
  const body = `${fields.reason}\n`;
  const headers = [
    'content-type',
    'text/plain; charset=utf-8',
    'content-length',
    String(Buffer.byteLength(body)),
    'cache-control',
    'no-store',
    'x-colophon-error',
    fields.kind === 'blocked' ? fields.code : fields.kind,
  ];
  return { status: statusByKind[fields.kind], headers, body };
};

/** Sends the browser the reason of the error. A response that has already started is cut off. */
export const sendErrorResponse = (response: ServerResponse, error: unknown): void => {
  if (response.headersSent) return void response.destroy();
  const { status, headers, body } = errorResponse(error);
  response.writeHead(status, headers).end(body);
};

/** The same for CONNECT, where the HTTP server no longer owns the connection. */
export const sendTunnelErrorResponse = (client: Duplex, error: unknown): void => {
  const { status, headers, body } = errorResponse(error);
  const lines = headers.flatMap((text, i) => (i % 2 === 0 ? [`${text}: ${headers[i + 1]}`] : []));
  client.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, 'connection: close', '', body].join('\r\n'));
};

/** Passes bytes through up to a limit, then fails as blocked. */
export const limitBytes = (maxBytes: number): Transform => {
  let passed = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length;
      if (passed > maxBytes) done(blockedError('response-too-large', `More than ${maxBytes} bytes were received.`));
      else done(null, chunk);
    },
  });
};

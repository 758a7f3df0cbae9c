import { Writable } from 'node:stream';
import Fastify, { type FastifyBaseLogger } from 'fastify';
import { expect, it } from 'vitest';
import { createLogger } from '#libs/telemetry/logger.ts';
import { type Span, setTracer } from '#libs/telemetry/tracing.ts';
import { observeRequests } from './observe.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${trace}-00f067aa0ba902b7-01`;

/** The log lines of one request with this response status. */
const linesOf = async (status: number, headers: Record<string, string>): Promise<string[]> => {
  const lines: string[] = [];
  const out = new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(chunk.toString()), done()) });
  const loggerInstance: FastifyBaseLogger = createLogger({ logLevel: 'debug', logFormat: 'json' }, out);
  const app = Fastify({ loggerInstance });
  observeRequests(app);
  app.get('/', async (request, reply) => {
    request.log.error('it failed');
    return reply.status(status).send();
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  await fetch(app.listeningOrigin, { headers });
  await expect.poll(() => lines.some((line) => line.includes('request handled'))).toBe(true);
  await app.close();
  return lines.filter((line) => /it failed|request handled/.test(line));
};

it('Every log line of a request has the trace id of its caller once, also if tracing is off', async () => {
  const lines = await linesOf(200, { traceparent });
  expect(lines.map((line) => line.split(`"trace_id":"${trace}"`).length - 1)).toEqual([1, 1]);
  expect((await linesOf(200, {})).join('')).not.toContain('trace_id');
});

it.each([
  [500, ['500']],
  [404, []],
])(
  'The span of a request with status %i has the error type of the OpenTelemetry conventions',
  async (status, expected) => {
    const failures: string[] = [];
    const span: Span = {
      traceparent,
      setAttributes: () => undefined,
      setError: () => undefined,
      setErrorType: (type) => void failures.push(type),
    };
    setTracer({
      startSpan: () => ({ ...span, runInContext: (work) => work(), end: () => undefined }),
      recordSpan: () => undefined,
      currentTraceparent: () => null,
      otelSystemNames: { store: '', bus: '', blobs: '' },
    });
    await linesOf(status, {}).finally(() => setTracer(null));
    expect(failures).toEqual(expected);
  },
);

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accountIdOf } from '#contracts/names.ts';
import { record } from '#libs/telemetry/metrics.ts';
import {
  isTracingEnabled,
  type ManualSpan,
  startManualSpan,
  parseTraceparent,
  traceIdOf,
} from '#libs/telemetry/tracing.ts';

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']);
const methodOf = ({ method }: FastifyRequest): string => (knownMethods.has(method) ? method : '_OTHER');

/** The pattern of the route, never the address: there are few of the one and no end of the other. */
const routeOf = ({ is404, routeOptions: { url } }: FastifyRequest): string => (is404 || !url ? 'unknown' : url);

const isOperationsRoute = (route: string): boolean => route.startsWith('/health') || route === '/metrics';

/** Nobody gets a status that was never sent; servers write this one down for callers who hung up. */
const clientClosedStatus = '499';
const statusOf = ({ raw, statusCode }: FastifyReply): string =>
  raw.headersSent ? String(statusCode) : clientClosedStatus;

const spanOf = (request: FastifyRequest, route: string, led: string | null): ManualSpan | null => {
  if (!isTracingEnabled() || isOperationsRoute(route)) return null;
  const method = methodOf(request);
  const attributes = {
    'http.request.method': method,
    'http.route': route,
    'url.path': request.url.split('?')[0]!,
    'url.scheme': request.protocol,
    'colophon.request.id': request.id,
  };
  return startManualSpan({ name: `${method} ${route}`, kind: 'server', parent: led, attributes });
};

const endSpan = (span: ManualSpan, request: FastifyRequest, status: string): void => {
  const { caller } = request;
  span.setAttributes({
    'http.response.status_code': Number(status),
    ...(caller
      ? { 'colophon.account.id': accountIdOf(caller.account.id), 'colophon.key.type': caller.key.keyType }
      : {}),
  });
  if (Number(status) >= 500) span.setErrorType(status);
  span.end();
};

/** Measures every request, and traces it where tracing is on, in the trace that its caller began. Add it before all other hooks. */
export const observeRequests = (app: FastifyInstance): void => {
  app.addHook('onRequest', (request, reply, done) => {
    const started = performance.now();
    const route = routeOf(request);
    const led = parseTraceparent(request.headers.traceparent);
    const span = spanOf(request, route, led);
    const traceparent = span?.traceparent ?? led;
    request.traceparent = traceparent;
    const { log } = request;
    // A span under way gives its trace to each line by itself.
    if (span === null && led !== null) request.log = log.child({ trace_id: traceIdOf(led) });
    reply.raw.once('close', () => {
      const status = statusOf(reply);
      const seconds = (performance.now() - started) / 1000;
      record('http.server.request.duration', seconds, {
        'http.request.method': methodOf(request),
        'http.route': route,
        'http.response.status_code': status,
      });
      const traceId = traceIdOf(traceparent);
      log.debug(
        {
          method: request.method,
          route,
          status: Number(status),
          seconds,
          ...(traceId === null ? {} : { trace_id: traceId }),
        },
        'request answered',
      );
      if (span) endSpan(span, request, status);
    });
    if (span) span.runInContext(done);
    else done();
  });
};

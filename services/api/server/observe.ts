import type { FastifyInstance, FastifyRequest } from 'fastify';
import { accountIdOf } from '#contracts/names.ts';
import { record } from '#libs/telemetry/metrics.ts';
import { parseTraceparent, traceIdOf } from '#libs/telemetry/traceparent.ts';
import { isTracingEnabled, type ManualSpan, startManualSpan } from '#libs/telemetry/tracing.ts';

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']);
const methodOf = ({ method }: FastifyRequest): string => (knownMethods.has(method) ? method : '_OTHER');

/** The pattern of the route, not the path: a metric label must have few values. */
const routeOf = ({ is404, routeOptions: { url } }: FastifyRequest): string => (is404 || !url ? 'unknown' : url);

const isOperationsRoute = (route: string): boolean => route.startsWith('/health') || route === '/metrics';

/** The usual status for a caller who disconnected before the response. */
const clientClosedStatus = '499';

const spanOf = (request: FastifyRequest, route: string, callerTraceparent: string | null): ManualSpan | null => {
  if (!isTracingEnabled() || isOperationsRoute(route)) return null;
  const method = methodOf(request);
  const attributes = {
    'http.request.method': method,
    'http.route': route,
    'url.path': request.url.split('?')[0]!,
    'url.scheme': request.protocol,
    'colophon.request.id': request.id,
  };
  return startManualSpan({ name: `${method} ${route}`, kind: 'server', parent: callerTraceparent, attributes });
};

const endSpan = (span: ManualSpan, request: FastifyRequest, status: string): void => {
  const { caller } = request;
  span.setAttributes({
    'http.response.status_code': Number(status),
    ...(caller ? { 'colophon.account.id': accountIdOf(caller.account.id), 'colophon.key.type': caller.keyType } : {}),
  });
  if (Number(status) >= 500) span.setErrorType(status);
  span.end();
};

/** Measures every request, and traces it in the caller's trace if tracing is on. Call it before adding other hooks. */
export const observeRequests = (app: FastifyInstance): void => {
  app.addHook('onRequest', (request, reply, done) => {
    const started = performance.now();
    const route = routeOf(request);
    const callerTraceparent = parseTraceparent(request.headers.traceparent);
    const span = spanOf(request, route, callerTraceparent);
    const traceparent = span?.traceparent ?? callerTraceparent;
    request.traceparent = traceparent;
    const { log: logger } = request;
    // Within a span the logger adds the trace id itself.
    if (span === null && callerTraceparent !== null)
      request.log = logger.child({ trace_id: traceIdOf(callerTraceparent) });
    reply.raw.once('close', () => {
      const status = reply.raw.headersSent ? String(reply.statusCode) : clientClosedStatus;
      const seconds = (performance.now() - started) / 1000;
      record('http.server.request.duration', seconds, {
        'http.request.method': methodOf(request),
        'http.route': route,
        'http.response.status_code': status,
      });
      const traceId = traceIdOf(traceparent);
      logger.debug(
        {
          method: request.method,
          route,
          status: Number(status),
          seconds,
          ...(traceId === null ? {} : { trace_id: traceId }),
        },
        'request handled',
      );
      if (span) endSpan(span, request, status);
    });
    if (span) span.runInContext(done);
    else done();
  });
};

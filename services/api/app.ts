import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify';
import { ApiError } from '#contracts/http/api-error.ts';
import type { ApiKeyUsageCounter } from '#application/api-keys/usage-counter.ts';
import { createKeyedLock } from '#application/templates/commands.ts';
import { buildOpenApi } from './docs/openapi.ts';
import { registerDocs } from './docs/routes.ts';
import { routes } from './routes.ts';
import { authenticate, requireActive } from './server/authenticate.ts';
import { registerBodyParser } from './server/body/register-body-parser.ts';
import type { CallerCache } from '#application/api-keys/queries.ts';
import { enableGracefulClose } from './server/graceful-close.ts';
import type { Dependencies } from './server/dependencies.ts';
import { apiErrorFieldsOf, internalError, sendError } from './server/errors.ts';
import {
  createClientErrorHandler,
  handleUnknownExpectations,
  handleUnreadablePath,
  newRequestId,
  requireHost,
} from './server/malformed-requests.ts';
import { observeRequests } from './server/observe.ts';
import {
  countDeferredRequest,
  countRequest,
  mayBeExemptFromRateLimit,
  requireDeferredRateLimit,
  requireRateLimitLeft,
  reportLimits,
} from './server/rate-limit.ts';
import { registerRoutes } from './server/register-routes.ts';
import { decorateRequests, limitsStatusOf } from './server/request.ts';
import { handleUnknownRoutes } from './server/unknown-routes.ts';
import { createTemplateTestLimiter } from './templates/template-test-limits.ts';

/** What the app is made from. `closed` tells why callers are not served now. */
export type AppDependencies = Omit<Dependencies, 'templateCreationQueue' | 'templateTestLimiter'> & {
  callers: CallerCache;
  keyUses: ApiKeyUsageCounter;
  countAsyncRequests: boolean;
  closedReason?: () => string | null;
  version: string;
  logger: FastifyBaseLogger;
  tls?: { cert: Buffer; key: Buffer };
};

const createServer = ({ logger, tls }: AppDependencies): FastifyInstance => {
  // Node would refuse a request without a Host header in an empty answer.
  const http = { requireHostHeader: false };
  return Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: newRequestId,
    frameworkErrors: handleUnreadablePath,
    clientErrorHandler: createClientErrorHandler(logger),
    return503OnClosing: false,
    ...(tls ? { https: { ...tls, ...http } } : { http }),
    requestTimeout: 120_000,
    keepAliveTimeout: 72_000,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    routerOptions: { maxParamLength: 500 },
  } as object);
};

/** Asks the route, not the address: a router reads `/%61pi/` and `http://host/api/` as `/api/`, too. */
const routeOf = ({ routeOptions }: FastifyRequest) => routeOptions.config.route;

/** A download that brings its own token needs no key. */
const hasDownloadToken = (request: FastifyRequest): boolean => {
  const parameter = routeOf(request)?.tokenParameter;
  return parameter !== undefined && (request.query as Record<string, unknown>)[parameter] !== undefined;
};

const closedRetryAfterSeconds = 5;
const requireOpen = (reason: string | null): void => {
  if (reason !== null) throw ApiError.of('service_unavailable', reason, { retry_after: closedRetryAfterSeconds });
};

/** The HTTP interface: who is let in, in which order what is checked, and how errors look. */
export const createApp = (parts: AppDependencies): FastifyInstance => {
  const { eventLog, limits, callers, keyUses, countAsyncRequests, closedReason, logger } = parts;
  const app = createServer(parts);
  decorateRequests(app);
  observeRequests(app);
  handleUnknownRoutes(app);
  handleUnknownExpectations(app.server, logger);
  registerBodyParser(app);
  const checkOpen = enableGracefulClose(app);

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    requireHost(request);
    if (routeOf(request)?.permission === undefined) return;
    checkOpen();
    requireOpen(closedReason?.() ?? null);
    if (hasDownloadToken(request)) return;
    const now = eventLog.now();
    const caller = await authenticate(callers, request.raw, now);
    request.caller = caller;
    keyUses.countRequest(caller.key, now);
    const later = !countAsyncRequests && mayBeExemptFromRateLimit(request);
    await (later ? reportLimits : countRequest)(limits, caller.account, reply, now);
    requireActive(caller.account);
    request.countAfterBody = later;
    if (!later) requireRateLimitLeft(limitsStatusOf(request).rateLimit, now);
  });
  if (!countAsyncRequests)
    app.addHook('preHandler', (_, reply) => requireDeferredRateLimit(limits, reply, eventLog.now()));

  app.setErrorHandler(async (error, request, reply) => {
    await countDeferredRequest(limits, reply, eventLog.now());
    const fault = apiErrorFieldsOf(error);
    if (!fault) request.log.error({ err: error }, 'a request failed');
    // The framework would hang up on a body that it has not read to its end. A caller who still sends would lose the
    // answer with the connection; Node passes over the rest.
    reply.removeHeader('connection');
    return sendError(reply, fault ?? internalError);
  });

  registerDocs(app, () => buildOpenApi(routes, { version: parts.version }));
  const dependencies = {
    ...parts,
    templateCreationQueue: createKeyedLock(),
    templateTestLimiter: createTemplateTestLimiter(),
  };
  registerRoutes(app, routes, dependencies, eventLog);
  return app;
};

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

/** `closedReason` returns why callers are not served now, or null. */
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
  // Node itself rejects a request without a Host header with an empty response.
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

/** The matched route, not the URL: the router also accepts `/%61pi/` and `http://host/api/` for `/api/`. */
const routeOf = ({ routeOptions }: FastifyRequest) => routeOptions.config.route;

/** A download with a token of its own needs no key. */
const hasDownloadToken = (request: FastifyRequest): boolean => {
  const parameter = routeOf(request)?.tokenParameter;
  return parameter !== undefined && (request.query as Record<string, unknown>)[parameter] !== undefined;
};

const closedRetryAfterSeconds = 5;
const requireOpen = (reason: string | null): void => {
  if (reason !== null) throw ApiError.of('service_unavailable', reason, { retry_after: closedRetryAfterSeconds });
};

/** Creates the HTTP API. The hooks define the order of the checks; the error handler defines the format of errors. */
export const createApp = (dependencies: AppDependencies): FastifyInstance => {
  const { eventLog, limits, callers, keyUses, countAsyncRequests, closedReason, logger } = dependencies;
  const app = createServer(dependencies);
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
    const countAfterBody = !countAsyncRequests && mayBeExemptFromRateLimit(request);
    await (countAfterBody ? reportLimits : countRequest)(limits, caller.account, reply, now);
    requireActive(caller.account);
    request.countAfterBody = countAfterBody;
    if (!countAfterBody) requireRateLimitLeft(limitsStatusOf(request).rateLimit, now);
  });
  if (!countAsyncRequests)
    app.addHook('preHandler', (_, reply) => requireDeferredRateLimit(limits, reply, eventLog.now()));

  app.setErrorHandler(async (error, request, reply) => {
    await countDeferredRequest(limits, reply, eventLog.now());
    const fields = apiErrorFieldsOf(error);
    if (!fields) request.log.error({ err: error }, 'request failed');
    // Fastify closes the connection if the body was not read to its end, and a caller who is still sending would lose
    // the response. Node discards the rest of the body instead.
    reply.removeHeader('connection');
    return sendError(reply, fields ?? internalError);
  });

  registerDocs(app, () => buildOpenApi(routes, { version: dependencies.version }));
  const routeDependencies = {
    ...dependencies,
    templateCreationQueue: createKeyedLock(),
    templateTestLimiter: createTemplateTestLimiter(),
  };
  registerRoutes(app, routes, routeDependencies, eventLog);
  return app;
};

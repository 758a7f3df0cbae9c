import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { ApiError } from '#contracts/http/api-error.ts';
import type { ApiKeyUsageCounter } from '#application/api-keys/usage-counter.ts';
import { createKeyedLock } from '#libs/concurrency/fair-queue.ts';
import { newRequestId } from '#libs/ids/ulids.ts';
import { projections } from '#libs/projections/all.ts';
import { registerDashboard } from './dashboard/routes.ts';
import { buildOpenApi } from './docs/openapi.ts';
import { registerDocs } from './docs/routes.ts';
import { createAccessCheck } from './events/access-check.ts';
import { createMissedEventReader } from './events/missed-events.ts';
import { createLiveStreams, type LiveStreams } from './events/live-streams.ts';
import { routes } from './routes.ts';
import { createEventDownloadLimiter } from './events/download.ts';
import { authenticate, requireActive, requireOperator } from './server/authenticate.ts';
import { registerBodyParser } from './server/body/register-body-parser.ts';
import type { KeyCache } from '#application/api-keys/queries.ts';
import { enableGracefulClose } from './server/graceful-close.ts';
import type { Dependencies } from './server/dependencies.ts';
import { apiErrorFieldsOf, internalError, sendError } from './server/errors.ts';
import {
  createClientErrorHandler,
  handleUnknownExpectations,
  handleUnreadablePath,
  requireHost,
} from './server/malformed-requests.ts';
import { limitPipelining } from './server/pipelining.ts';
import { observeRequests } from './server/observe.ts';
import {
  countDeferredRequest,
  countRequest,
  mayBeExemptFromRateLimit,
  requireDeferredRateLimit,
  requireRateLimitLeft,
  reportLimits,
  reportLimitsOfKey,
} from './server/rate-limit.ts';
import { registerRoutes } from './server/register-routes.ts';
import { decorateRequests, limitsStatusOf } from './server/request.ts';
import { schemaController } from './server/schema-controller.ts';
import { authenticateMember, authenticatePerson } from './sessions/authenticate-person.ts';
import { createCookies } from './sessions/cookies.ts';
import { isRead, requireOwnOrigin } from './sessions/own-origin.ts';
import { openPeople } from '#application/people/people.ts';
import { limitTransfers, type TransferLimits } from './server/transfers.ts';
import { handleUnknownRoutes } from './server/unknown-routes.ts';
import { createPreviewLimiter } from './templates/preview-limits.ts';
import { createRedeliveryPace } from '#application/deliveries/redelivery-pace.ts';
import { createConcurrencyLimiter } from './server/concurrency-limit.ts';

/** What the app creates itself. */
type DependencyOfApp =
  | 'templateCreationQueue'
  | 'keyCreationQueue'
  | 'transfers'
  | 'eventDownloads'
  | 'templateTestLimiter'
  | 'previewLimiter'
  | 'verificationLimiter'
  | 'redeliveryPace'
  | 'people'
  | 'cookies'
  | 'liveStreams'
  | 'hasAccess';

/** `closedReason` returns why callers are not served now, or null. */
export type AppDependencies = Omit<Dependencies, DependencyOfApp> & {
  keys: KeyCache;
  keyUses: ApiKeyUsageCounter;
  countAsyncRequests: boolean;
  closedReason?: () => string | null;
  /** How often live streams send a sign of life and check access. */
  liveHeartbeatMs?: number;
  transferLimits?: TransferLimits;
  logger: FastifyBaseLogger;
  tls?: { cert: Buffer; key: Buffer };
};

const createServer = (dependencies: AppDependencies): FastifyInstance => {
  const { logger, tls } = dependencies;
  // Node itself rejects a request without a Host header with an empty response.
  const http = { requireHostHeader: false };
  return Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: newRequestId,
    frameworkErrors: async (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      await reportLimitsOfKey(dependencies, reply);
      return handleUnreadablePath(error, request, reply);
    },
    clientErrorHandler: createClientErrorHandler(logger),
    return503OnClosing: false,
    schemaController,
    ...(tls ? { https: { ...tls, ...http } } : { http }),
    requestTimeout: 120_000,
    keepAliveTimeout: 72_000,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    routerOptions: { maxParamLength: 500 },
  } as object);
};

/** The matched route, not the URL: the router also accepts `/%61pi/` and `http://host/api/` for `/api/`. */
const routeOf = ({ routeOptions }: FastifyRequest) => routeOptions.config.route;

/** The router takes an empty segment, as in `/templates/`, for the value of a parameter. */
const hasEmptyParameter = ({ params }: FastifyRequest): boolean =>
  Object.entries((params as Record<string, string> | null) ?? {}).some(([name, value]) => name !== '*' && value === '');

/** A download with a token of its own needs no key. */
const hasDownloadToken = (request: FastifyRequest): boolean => {
  const parameter = routeOf(request)?.tokenParameter;
  return parameter !== undefined && (request.query as Record<string, unknown>)[parameter] !== undefined;
};

const closedRetryAfterSeconds = 5;

const maxShownWaitMs = 2_000;

/** Live streams that end before the app closes. */
const openLiveStreams = (app: FastifyInstance, dependencies: AppDependencies): LiveStreams => {
  const { eventLog, reads, logger, liveHeartbeatMs } = dependencies;
  const streams = createLiveStreams(eventLog.store, {
    waitUntilShown: (position) =>
      Promise.all(projections.map(({ model }) => reads.waitForCheckpoint(model, position, maxShownWaitMs))),
    readMissed: createMissedEventReader(reads),
    reportError: (error) => logger.warn({ err: error }, 'live streams could not follow the event log'),
    ...(liveHeartbeatMs === undefined ? {} : { heartbeatMs: liveHeartbeatMs }),
  });
  app.addHook('preClose', async () => streams.close());
  return streams;
};

/** Creates the HTTP API. The hooks define the order of the checks; the error handler defines the format of errors. */
export const createApp = (dependencies: AppDependencies): FastifyInstance => {
  const { eventLog, limits, keys, keyUses, countAsyncRequests, closedReason, logger } = dependencies;
  const app = createServer(dependencies);
  limitPipelining(app);
  decorateRequests(app);
  observeRequests(app);
  handleUnknownRoutes(app, (reply) => reportLimitsOfKey(dependencies, reply));
  handleUnknownExpectations(app.server, logger);
  const transfers = limitTransfers(app, dependencies.transferLimits);
  registerBodyParser(app, transfers);
  const liveStreams = openLiveStreams(app, dependencies);
  const checkOpen = enableGracefulClose(app);
  const people = openPeople(eventLog);
  const cookies = createCookies(dependencies.tls !== undefined || dependencies.baseUrl.startsWith('https:'));
  const personDependencies = { ...dependencies, people, cookies };

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    requireHost(request);
    if (hasEmptyParameter(request)) return reply.callNotFound();
    const { permission, session } = routeOf(request) ?? {};
    if (permission === undefined && session === undefined) return;
    checkOpen();
    const reason = closedReason?.() ?? null;
    if (reason !== null) throw ApiError.of('service_unavailable', reason, { retry_after: closedRetryAfterSeconds });
    if (hasDownloadToken(request)) return;
    if (session === 'callback') return;
    if (session === 'start') return requireOwnOrigin(request, dependencies.baseUrl);
    if (session !== undefined) {
      const { person } = await authenticatePerson(personDependencies, request, reply);
      if (session === 'operator') requireOperator(person);
      return;
    }
    if (request.headers.authorization === undefined && cookies.read(request, 'session') !== null) {
      const { account } = await authenticateMember(personDependencies, request, reply);
      // Members of a suspended account can still read.
      if (!isRead(request)) requireActive(account);
      return;
    }
    const now = eventLog.now();
    const caller = await authenticate(keys, request.raw, now);
    request.caller = caller;
    if (caller.keyId !== null) keyUses.countRequest({ id: caller.keyId, accountId: caller.account.id }, now);
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

  registerDashboard(app, dependencies.baseUrl);
  registerDocs(app, () => buildOpenApi(routes, { version: dependencies.version, baseUrl: dependencies.baseUrl }));
  const routeDependencies = {
    ...dependencies,
    people,
    cookies,
    templateCreationQueue: createKeyedLock(),
    keyCreationQueue: createKeyedLock(),
    transfers,
    eventDownloads: createEventDownloadLimiter(),
    templateTestLimiter: createConcurrencyLimiter({ name: 'template tests', max: 2 }),
    redeliveryPace: createRedeliveryPace(),
    previewLimiter: createPreviewLimiter(),
    verificationLimiter: createConcurrencyLimiter({ name: 'verifications', max: 2 }),
    liveStreams,
    hasAccess: createAccessCheck({ ...dependencies, people, cookies }),
  };
  registerRoutes(app, routes, routeDependencies, dependencies);
  return app;
};

import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify';
import { Problem } from '#contracts/http/problem.ts';
import type { KeyUses } from '#application/api-keys/uses.ts';
import { oneAtATime } from '#application/templates/commands.ts';
import { buildOpenApi } from './docs/openapi.ts';
import { registerDocs } from './docs/routes.ts';
import { routes } from './routes.ts';
import { authenticate, requireActive } from './server/authenticate.ts';
import { receiveBodies } from './server/body/receive.ts';
import type { Callers } from '#application/api-keys/queries.ts';
import { closeGently } from './server/closing.ts';
import type { Dependencies } from './server/dependencies.ts';
import { faultOf, internalFault, sendFault } from './server/errors.ts';
import {
  answeringBrokenRequests, answerUnknownExpectations, answerUnreadablePath, newRequestId, requireHost,
} from './server/malformed-requests.ts';
import { observeRequests } from './server/observe.ts';
import {
  countLate, countRequest, mayBeExempt, requireCounted, requireRoomInMinute, showLimits,
} from './server/rate-limit.ts';
import { registerRoutes } from './server/register-routes.ts';
import { decorateRequests, standingOf } from './server/request.ts';
import { answerUnknownRoutes } from './server/unknown-routes.ts';
import { openTrialTurns } from './templates/trial-limits.ts';

/** What the app is made from. `closed` tells why callers are not served now. */
export type AppParts = Omit<Dependencies, 'creationInTurn' | 'trialTurns'> & {
  callers: Callers;
  keyUses: KeyUses;
  countAsync: boolean;
  closed?: () => string | null;
  version: string;
  logger: FastifyBaseLogger;
  tls?: { cert: Buffer; key: Buffer };
};

const serverOf = ({ logger, tls }: AppParts): FastifyInstance => {
  // Node would refuse a request without a Host header in an empty answer.
  const http = { requireHostHeader: false };
  return Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: newRequestId,
    frameworkErrors: answerUnreadablePath,
    clientErrorHandler: answeringBrokenRequests(logger),
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
const bringsToken = (request: FastifyRequest): boolean => {
  const parameter = routeOf(request)?.keyOr;
  return parameter !== undefined && (request.query as Record<string, unknown>)[parameter] !== undefined;
};

const closedRetrySeconds = 5;
const requireServed = (reason: string | null): void => {
  if (reason !== null) throw Problem.of('service_unavailable', reason, { retry_after: closedRetrySeconds });
};

/** The HTTP interface: who is let in, in which order what is checked, and how errors look. */
export const createApp = (parts: AppParts): FastifyInstance => {
  const { log, limits, callers, keyUses, countAsync, closed, logger } = parts;
  const app = serverOf(parts);
  decorateRequests(app);
  observeRequests(app);
  answerUnknownRoutes(app);
  answerUnknownExpectations(app.server, logger);
  receiveBodies(app);
  const checkOpen = closeGently(app);

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    requireHost(request);
    if (routeOf(request)?.permission === undefined) return;
    checkOpen();
    requireServed(closed?.() ?? null);
    if (bringsToken(request)) return;
    const now = log.now();
    const caller = await authenticate(callers, request.raw, now);
    request.caller = caller;
    keyUses.note(caller.key, now);
    const later = !countAsync && mayBeExempt(request);
    await (later ? showLimits : countRequest)(limits, caller.account, reply, now);
    requireActive(caller.account);
    request.countsLater = later;
    if (!later) requireRoomInMinute(standingOf(request).minute, now);
  });
  if (!countAsync) app.addHook('preHandler', (_, reply) => requireCounted(limits, reply, log.now()));

  app.setErrorHandler(async (error, request, reply) => {
    await countLate(limits, reply, log.now());
    const fault = faultOf(error);
    if (!fault) request.log.error({ err: error }, 'a request failed');
    // The framework would hang up on a body that it has not read to its end. A caller who still sends would lose the
    // answer with the connection; Node passes over the rest.
    reply.removeHeader('connection');
    return sendFault(reply, fault ?? internalFault);
  });

  registerDocs(app, buildOpenApi(routes, { version: parts.version }));
  const dependencies = { ...parts, creationInTurn: oneAtATime(), trialTurns: openTrialTurns() };
  registerRoutes(app, routes, dependencies, log);
  return app;
};

import type { IncomingMessage } from 'node:http';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify';
import { buildOpenApi } from './docs/openapi.ts';
import { type Fault, Problem } from '#contracts/http/problem.ts';
import { routes } from './routes.ts';
import { BlobMissing, type BlobStore } from '#libs/blob-store/port.ts';
import type { KeyUses } from '#application/api-keys/uses.ts';
import type { Telemetry } from '#libs/telemetry/start.ts';
import { registerAccountRoutes } from './account/routes.ts';
import { authenticate, requireActive } from './server/authenticate.ts';
import { answeringBrokenRequests, answerUnknownExpectations, answerUnreadablePath, newRequestId, requireHost } from './server/malformed-requests.ts';
import { brief } from './server/brief.ts';
import { callerOf, rememberCaller } from './server/caller.ts';
import type { Callers } from './server/callers.ts';
import { closeGently } from './server/closing.ts';
import { registerDocs } from './docs/routes.ts';
import { type DownloadParts, downloadPath, registerDownloads } from './downloads/routes.ts';
import { type Health, registerHealthRoutes } from './health/routes.ts';
import { type JobParts, registerJobRoutes } from './jobs/routes.ts';
import { type JsonBodies, openJsonBodies } from './server/body/json-bodies.ts';
import { countLate, countLater, mayBeExempt, requireCounted } from './server/late-count.ts';
import { registerMetricsRoute } from './health/metrics.ts';
import { observeRequests } from './server/observe.ts';
import { rememberBody, wantsHash } from './server/body/raw-body.ts';
import { readBody } from './server/body/read-body.ts';
import { registerRenderRoutes, type RenderRouteParts } from './renders/routes.ts';
import { internalFault, sendFault } from './server/errors.ts';
import { registerTemplateReadRoutes } from './templates/read-routes.ts';
import { registerTemplateTestRoute } from './templates/test-route.ts';
import { registerTemplateWriteRoutes } from './templates/write-routes.ts';
import type { TemplateParts } from './templates/parts.ts';
import { countRequest, minuteOf, planLimits, requireRoomInMinute, showLimits } from './server/rate-limit.ts';
import { answerUnknownRoutes } from './server/unknown-routes.ts';
import { registerUsageRoute } from './usage/routes.ts';

/** `inputs` are the blobs that PDFs are made from, which are never deleted; `blobs` are all. `closed` tells why callers are not served now. */
export type AppParts = Omit<RenderRouteParts, 'erasable'> & TemplateParts & JobParts & DownloadParts & { inputs: BlobStore; callers: Callers; keyUses: KeyUses; countAsync: boolean; health: () => Health; closed?: () => string | null; version: string; logger: FastifyBaseLogger; telemetry: Pick<Telemetry, 'metricsText' | 'metricsType'>; metricsToken?: string | undefined; tls?: { cert: Buffer; key: Buffer } };

const apiPrefix = '/api/';


/** What the log names was stored before: its loss is for the operator to mend, whom /health/ready tells. */
const lostContent: Fault = { name: 'service_unavailable', message: 'The content cannot be read at present. Try again later.', extra: { retry_after: 60 } };

const faultOf = (error: unknown): Fault | null => {
  if (error instanceof Problem) return error.fault;
  if (error instanceof BlobMissing) return lostContent;
  const { statusCode, message } = error as Partial<FastifyError>;
  return statusCode && statusCode < 500 ? { name: 'invalid_request', message: message ?? 'The request is malformed.', extra: {} } : null;
};

const fieldsOf = async (bodies: JsonBodies, request: FastifyRequest, payload: IncomingMessage): Promise<Record<string, unknown> | null> => {
  const { account } = callerOf(request);
  const bytes = await readBody(payload, planLimits(account).maxPayloadMb);
  if (bytes.byteLength === 0) return null;
  const body = await bodies.read(bytes, wantsHash(request), account.id);
  rememberBody(request, body);
  return body.fields;
};

/** Asks the route, not the address: a router reads `/%61pi/` and `http://host/api/` as `/api/`, too. */
const needsKey = ({ routeOptions: { url = '' }, is404 }: FastifyRequest): boolean => !is404 && url.startsWith(apiPrefix);

/** A download that brings its own token needs no key. */
const bringsToken = ({ routeOptions, query }: FastifyRequest): boolean => routeOptions.url === downloadPath && (query as { token?: unknown }).token !== undefined;

const closedRetrySeconds = 5;
const requireServed = (reason: string | null): void => {
  if (reason !== null) throw Problem.of('service_unavailable', reason, { retry_after: closedRetrySeconds });
};

const unpacked = (request: FastifyRequest): FastifyRequest => {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return request;
  throw Problem.of('invalid_request', `The content encoding ${brief(encoding)} is not allowed; send the body uncompressed.`, { field: 'Content-Encoding' });
};

const registerBodies = (app: FastifyInstance): void => {
  const bodies = openJsonBodies();
  app.addHook('onClose', () => bodies.close());
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/json(\s*;.*)?$/i, async (request: FastifyRequest, payload: IncomingMessage) =>
    request.is404 ? null : fieldsOf(bodies, unpacked(request), payload),
  );
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    if (request.is404) return null;
    throw Problem.of('invalid_request', `The content type ${request.headers['content-type'] ?? '(none)'} is not allowed; send application/json.`, { field: 'Content-Type' });
  });
};

/** The HTTP face: who may come in, in which order what is checked, and how errors look. Routes add themselves. */
export const createApp = (parts: AppParts): FastifyInstance => {
  const app = Fastify({
    loggerInstance: parts.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: newRequestId,
    frameworkErrors: answerUnreadablePath,
    clientErrorHandler: answeringBrokenRequests(parts.logger),
    return503OnClosing: false,
    // Node would refuse a request without a Host header in an empty answer.
    ...(parts.tls ? { https: { ...parts.tls, requireHostHeader: false } } : { http: { requireHostHeader: false } }),
    requestTimeout: 120_000,
    keepAliveTimeout: 72_000,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    routerOptions: { maxParamLength: 500 },
  } as object) as unknown as FastifyInstance;

  observeRequests(app);
  answerUnknownRoutes(app);
  answerUnknownExpectations(app.server, parts.logger);
  registerBodies(app);
  const checkOpen = closeGently(app);

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    requireHost(request);
    if (!needsKey(request)) return;
    checkOpen();
    requireServed(parts.closed?.() ?? null);
    if (bringsToken(request)) return;
    const now = parts.log.now();
    const caller = await authenticate(parts.callers, request.raw, now);
    rememberCaller(request, caller);
    parts.keyUses.note(caller.key, now);
    const later = !parts.countAsync && mayBeExempt(request);
    await (later ? showLimits : countRequest)(parts.limits, caller.account, reply, now);
    requireActive(caller.account);
    if (later) countLater(request);
    else requireRoomInMinute(minuteOf(request), now);
  });
  if (!parts.countAsync) app.addHook('preHandler', (request, reply) => requireCounted(parts.limits, request, reply, parts.log.now()));

  app.setErrorHandler(async (error, request, reply) => {
    await countLate(parts.limits, request, reply, parts.log.now());
    const fault = faultOf(error);
    if (!fault) request.log.error({ err: error }, 'a request failed');
    // The framework would hang up on a body that it has not read to its end, and a caller who still sends loses the answer with the connection. Node passes over the rest.
    reply.removeHeader('connection');
    return sendFault(reply, fault ?? internalFault);
  });

  registerDocs(app, buildOpenApi(routes, { version: parts.version }));
  registerHealthRoutes(app, parts.health);
  registerMetricsRoute(app, parts.telemetry, parts.metricsToken);
  const ofInputs = { ...parts, blobs: parts.inputs };
  registerRenderRoutes(app, { ...ofInputs, erasable: parts.blobs });
  registerTemplateReadRoutes(app, ofInputs);
  registerTemplateWriteRoutes(app, ofInputs);
  registerTemplateTestRoute(app, ofInputs);
  registerJobRoutes(app, parts);
  registerDownloads(app, parts);
  registerUsageRoute(app, parts);
  registerAccountRoutes(app, parts);
  return app;
};

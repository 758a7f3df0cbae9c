import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '#contracts/http/api-error.ts';
import type { EventLog } from '#application/command-handling/aggregate.ts';
import { newId } from '#libs/ids/ulids.ts';
import { requirePermission } from './authenticate.ts';
import { runOnce } from './idempotency.ts';
import { requireQuotaLeft } from './quota.ts';
import { planLimits } from '#application/accounts/queries.ts';
import { callerOf, causeOf, limitsStatusOf } from './request.ts';
import type { CallerContext, RequestContext } from './context.ts';
import type { Route } from './route.ts';
import { validate } from './validate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: Route<never>;
  }
}

type Fields = Record<string, unknown>;

/** @throws ApiError invalid_request if a required body is missing */
const bodyFields = ({ body }: FastifyRequest, isOptional = false): Fields => {
  if (!body && !isOptional) throw ApiError.of('invalid_request', 'The body is empty; it must be a JSON object.');
  return (body as Fields | null | undefined) ?? {};
};

const requestContextOf = (request: FastifyRequest, reply: FastifyReply, id: string): RequestContext => {
  const { caller, body, query, params } = request;
  return { id, requestId: request.id, caller, body, query, params, reply };
};

const callerContextOf = (request: FastifyRequest, reply: FastifyReply, id: string): CallerContext => {
  const { account, key } = callerOf(request);
  return {
    ...requestContextOf(request, reply, id),
    account,
    key,
    limits: planLimits(account),
    ...limitsStatusOf(request),
    cause: causeOf(request),
    longTexts: request.receivedBody?.longTexts ?? {},
  };
};

/** The context for the handler, validated against the schemas of the route. @throws ApiError */
const validatedContext = <D>(route: Route<D>, request: FastifyRequest, context: RequestContext): RequestContext => {
  const { params, query, body, readBody, bodyIsOptional } = route.request ?? {};
  const fields = body && bodyFields(request, bodyIsOptional);
  return {
    ...context,
    params: params && validate(params, request.params as Fields),
    query: query && validate(query, request.query as Fields),
    body: readBody ? readBody(fields!, planLimits(callerOf(request).account)) : body && validate(body, fields!),
  };
};

const createHandler = <D>(route: Route<D>, dependencies: D, eventLog: EventLog | null) => {
  const { method, path, permission, usesQuota, idempotency, handle } = route;
  const run = async (request: FastifyRequest, reply: FastifyReply, id: string): Promise<unknown> => {
    const { caller } = request;
    const context = validatedContext(route, request, (caller ? callerContextOf : requestContextOf)(request, reply, id));
    if (permission && caller) requirePermission(caller, permission);
    if (usesQuota && eventLog) requireQuotaLeft(context as CallerContext, eventLog.now());
    return handle(context as CallerContext<never, never, never>, dependencies);
  };
  if (!idempotency || !permission || !eventLog) {
    return (request: FastifyRequest, reply: FastifyReply) => run(request, reply, newId(eventLog?.now()));
  }
  const { streamOf, replay } = idempotency;
  return (request: FastifyRequest, reply: FastifyReply) =>
    runOnce(eventLog, request, reply, {
      operation: `${method} ${path}`,
      permission,
      streamOf,
      run: (id) => run(request, reply, id),
      replay: (id) => replay(callerContextOf(request, reply, id), dependencies),
    });
};

/** Adds routes with their checks to the app. Routes with a quota or an Idempotency-Key need `eventLog`. */
export const registerRoutes = <D>(
  app: FastifyInstance,
  routes: readonly Route<D>[],
  dependencies: D,
  eventLog: EventLog | null = null,
): void => {
  for (const route of routes) {
    const url = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    app.route({ method: route.method, url, config: { route }, handler: createHandler(route, dependencies, eventLog) });
  }
};

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#contracts/http/problem.ts';
import type { Log } from '#application/handling/handle.ts';
import { newId } from '#libs/ids/new-id.ts';
import { requirePermission } from './authenticate.ts';
import { once } from './idempotency.ts';
import { requireQuota } from './quota.ts';
import { planLimits } from '#application/accounts/queries.ts';
import { callerOf, causeOf, standingOf } from './request.ts';
import type { CallerContext, RequestContext } from './context.ts';
import type { Route } from './route.ts';
import { validated } from './validate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: Route<never>;
  }
}

type Fields = Record<string, unknown>;

/** @throws Problem invalid_request for a request that must have a body and has none */
const fieldsOf = ({ body }: FastifyRequest, isOptional = false): Fields => {
  if (!body && !isOptional) throw Problem.of('invalid_request', 'The body is empty; it must be a JSON object.');
  return (body as Fields | null | undefined) ?? {};
};

const openContext = (request: FastifyRequest, reply: FastifyReply, id: string): RequestContext => {
  const { caller, body, query, params } = request;
  return { id, requestId: request.id, caller, body, query, params, reply };
};

const callerContext = (request: FastifyRequest, reply: FastifyReply, id: string): CallerContext => {
  const { account, key } = callerOf(request);
  return {
    ...openContext(request, reply, id),
    account,
    key,
    limits: planLimits(account),
    ...standingOf(request),
    cause: causeOf(request),
    written: request.received?.written ?? {},
  };
};

/** What the handler is given, checked against the schemas of the route. @throws Problem */
const checked = <D>(route: Route<D>, request: FastifyRequest, context: RequestContext): RequestContext => {
  const { params, query, body, readBody, bodyIsOptional } = route.request ?? {};
  const fields = body && fieldsOf(request, bodyIsOptional);
  return {
    ...context,
    params: params && validated(params, request.params as Fields),
    query: query && validated(query, request.query as Fields),
    body: readBody ? readBody(fields!, planLimits(callerOf(request).account)) : body && validated(body, fields!),
  };
};

const handlerOf = <D>(route: Route<D>, dependencies: D, log: Log | null) => {
  const { method, path, permission, usesQuota, idempotency, handle } = route;
  const run = async (request: FastifyRequest, reply: FastifyReply, id: string): Promise<unknown> => {
    const { caller } = request;
    const context = checked(route, request, (caller ? callerContext : openContext)(request, reply, id));
    if (permission && caller) requirePermission(caller, permission);
    if (usesQuota && log) requireQuota(context as CallerContext, log.now());
    return handle(context as CallerContext<never, never, never>, dependencies);
  };
  if (!idempotency || !permission || !log) {
    return (request: FastifyRequest, reply: FastifyReply) => run(request, reply, newId(log?.now()));
  }
  const { streamOf, replay } = idempotency;
  return (request: FastifyRequest, reply: FastifyReply) =>
    once(log, request, reply, {
      operation: `${method} ${path}`,
      permission,
      streamOf,
      run: (id) => run(request, reply, id),
      replay: (id) => replay(callerContext(request, reply, id), dependencies),
    });
};

/** Adds routes to the app with their checks. `log` is for those that change something. */
export const registerRoutes = <D>(
  app: FastifyInstance, routes: readonly Route<D>[], dependencies: D, log: Log | null = null,
): void => {
  for (const route of routes) {
    const url = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    app.route({ method: route.method, url, config: { route }, handler: handlerOf(route, dependencies, log) });
  }
};

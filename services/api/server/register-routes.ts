import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalidField } from '#contracts/http/api-error.ts';
import { type FairQueue, openFairQueue } from '#libs/concurrency/fair-queue.ts';
import { newId } from '#libs/ids/ulids.ts';
import { requirePermission } from './authenticate.ts';
import { type IdempotencyDependencies, runOnce } from './idempotency.ts';
import { requireQuotaLeft } from './quota.ts';
import { planLimits } from '#application/accounts/queries.ts';
import { callerOf, causeOf, causeOfPerson, limitsStatusOf } from './request.ts';
import type { CallerContext, RequestContext, SessionContext } from './context.ts';
import type { Route } from './route.ts';
import { runChecks, validate } from './validation/validate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: Route<never>;
  }
}

type Fields = Record<string, unknown>;

/** @throws ApiError invalid_request if a required body is missing */
const bodyFields = ({ body }: FastifyRequest, isOptional = false): Fields => {
  if (!body && !isOptional) throw invalidField('body', 'The body is empty; it must be a JSON object.');
  return (body as Fields | null | undefined) ?? {};
};

const requestContextOf = (request: FastifyRequest, reply: FastifyReply, id: string): RequestContext => {
  const { caller, person, body, query, params } = request;
  return { id, caller, person, body, query, params, reply };
};

const callerContextOf = (request: FastifyRequest, reply: FastifyReply, id: string): CallerContext => {
  const caller = callerOf(request);
  return {
    ...requestContextOf(request, reply, id),
    ...caller,
    limits: planLimits(caller.account),
    ...limitsStatusOf(request),
    cause: causeOf(request),
    longTexts: request.receivedBody?.longTexts ?? {},
    partTexts: request.receivedBody?.partTexts ?? [],
    upload: request.receivedBody?.upload ?? null,
  };
};

const contextOf = (request: FastifyRequest, reply: FastifyReply, id: string): RequestContext => {
  const { caller, person } = request;
  if (caller) return callerContextOf(request, reply, id);
  const context = requestContextOf(request, reply, id);
  if (!person) return context;
  const ofPerson: SessionContext = { ...context, person, cause: causeOfPerson(request, person) };
  return ofPerson;
};

/** The context for the handler, validated against the schemas of the route. @throws ApiError */
const validatedContext = <D>(route: Route<D>, request: FastifyRequest, context: RequestContext): RequestContext => {
  const { params, query, body, readBody, bodyIsOptional } = route.request ?? {};
  const fields = body && bodyFields(request, bodyIsOptional);
  return {
    ...context,
    ...runChecks({
      params: () => params && validate(params, request.params as Fields),
      query: () => query && validate(query, request.query as Fields, [], { isQuery: true }),
      body: () =>
        readBody ? readBody(fields!, planLimits(callerOf(request).account)) : body && validate(body, fields!),
    }),
  };
};

const maxOperationLength = 100;

/** The method and the path of a request, which a key must not be used for again with another path. */
const operationOf = ({ method, path }: Route<never>, { params }: FastifyRequest): string => {
  const values = params as Record<string, string>;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  return `${method} ${filled}`.slice(0, maxOperationLength);
};

/** A read takes some milliseconds of the only thread, so the reads of accounts begin in turn, one in each of its turns. */
const openReadQueue = (): FairQueue => openFairQueue({ maxQuick: 1, maxTotal: 1, slowAfterMs: 0 });

const createHandler = <D>(
  route: Route<D>,
  dependencies: D,
  claims: IdempotencyDependencies | null,
  readQueue: FairQueue,
) => {
  const eventLog = claims?.eventLog;
  const { permission, usesQuota, idempotency, handle } = route;
  const check = (request: FastifyRequest, reply: FastifyReply, id: string): RequestContext => {
    const { caller } = request;
    const context = validatedContext(route, request, contextOf(request, reply, id));
    if (permission && caller) requirePermission(caller, permission);
    if (usesQuota && eventLog) requireQuotaLeft(context as CallerContext, eventLog.now());
    return context;
  };
  const run = async (context: RequestContext): Promise<unknown> =>
    handle(context as CallerContext<never, never, never>, dependencies);
  const checkAndRun = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
    run(check(request, reply, newId(eventLog?.now())));
  if (permission && route.method === 'GET')
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const { caller } = request;
      if (!caller) return checkAndRun(request, reply);
      const begun = await readQueue.add(caller.account.id, async () => {
        // New requests of others must be received before the next read begins.
        await nextTurn();
        return reply.raw.closed ? null : { response: checkAndRun(request, reply) };
      });
      return begun ? begun.response : reply.hijack();
    };
  if (!idempotency || !permission || !claims) return checkAndRun;
  const { streamOf, replay } = idempotency;
  return (request: FastifyRequest, reply: FastifyReply) =>
    runOnce(claims, request, reply, {
      operation: operationOf(route, request),
      permission,
      streamOf,
      check: (id) => check(request, reply, id),
      run: (context, id) => run({ ...context, id }),
      replay: (id) => replay(callerContextOf(request, reply, id), dependencies),
    });
};

/** Adds routes with their checks to the app. Routes with a quota or an Idempotency-Key need `idempotency`. */
export const registerRoutes = <D>(
  app: FastifyInstance,
  routes: readonly Route<D>[],
  dependencies: D,
  idempotency: IdempotencyDependencies | null = null,
): void => {
  const readQueue = openReadQueue();
  for (const route of routes) {
    const url = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    app.route({
      method: route.method,
      url,
      config: { route },
      handler: createHandler(route, dependencies, idempotency, readQueue),
    });
  }
};

import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Permission } from '#contracts/events/account.ts';
import type { ErrorName } from '#contracts/http/errors.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import type { CallerContext, RequestContext, SessionContext } from './context.ts';
import type { Dependencies } from './dependencies.ts';

export type Example = { summary: string; value: unknown };
type Examples = Record<string, Example>;
type Body = z.ZodType | undefined;
type Fields = z.ZodObject | undefined;
type SchemaOutput<S> = S extends z.ZodType ? z.output<S> : undefined;

/** The request of a route. `headers` are only documented; all other parts are validated before the handler runs. */
export type RouteRequest<B extends Body = Body, Q extends Fields = Fields, P extends Fields = Fields> = {
  body?: B;
  bodyIsOptional?: true;
  /** The schema of a multipart/form-data body, for the reference. A route without one accepts JSON only. */
  multipart?: z.ZodObject;
  multipartExamples?: Examples;
  /** Validates the body if the errors of the schema are not specific enough. @throws ApiError */
  readBody?: (fields: Record<string, unknown>, limits: PlanLimits) => SchemaOutput<B>;
  examples?: Examples;
  query?: Q;
  params?: P;
  headers?: z.ZodObject;
};

/**
 * `schema` is null for a response without a JSON body; `contentType` is the type of a body that is not JSON. With both,
 * the caller chooses by the header Accept. `headers` are those besides the headers of every response.
 */
export type RouteResponse<S extends z.ZodType | null = z.ZodType | null> = {
  status: number;
  description: string;
  schema: S;
  contentType?: string | readonly string[];
  examples?: Examples;
  headers?: Record<string, string>;
};

type OtherProperties = Omit<RouteResponse, 'status' | 'description' | 'schema'>;

/** The response 200 with a JSON body. */
export const ok = <S extends z.ZodType>(
  description: string,
  schema: S,
  others: OtherProperties = {},
): RouteResponse<S> => ({ status: 200, description, schema, ...others });

/** The response 201 with a JSON body. */
export const created = <S extends z.ZodType>(
  description: string,
  schema: S,
  headers?: Record<string, string>,
): RouteResponse<S> => ({ status: 201, description, schema, headers });

/** The response 204, which has no body. */
export const noContent = (description: string): RouteResponse<null> => ({ status: 204, description, schema: null });

/** Makes a route run a request once for each Idempotency-Key. */
export type IdempotencyOptions<D = Dependencies> = {
  /** The stream to which the operation with this id appends first. */
  streamOf: (id: string) => string;
  /** Sends the first response again; null if the operation has appended no event, `running` if it has not ended. */
  replay: (context: CallerContext, dependencies: D) => Promise<FastifyReply | 'running' | null>;
};

/** The definition of a route, from which the reference, the checks and the handler follow. */
type RouteDefinition<D, C, B extends Body, Q extends Fields, P extends Fields, S extends z.ZodType | null> = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its parameters in braces. */
  path: `/${string}`;
  /** The name of the operation in generated clients. Unique; it never changes. */
  operationId: string;
  tag: 'Rendering' | 'Jobs' | 'Webhooks' | 'Templates' | 'Account' | 'People' | 'Operation';
  summary: string;
  /** A function makes a text that takes long only when the reference is requested. */
  description: string | (() => string);
  /** The permission that the key needs; a route without one needs no key. */
  permission?: Permission;
  /**
   * For a route without a permission that is for people: `start` signs a person in, `callback` does so when the browser
   * comes back from the identity provider, `required` needs a signed-in person, `operator` a signed-in operator.
   */
  session?: 'start' | 'callback' | 'required' | 'operator';
  /** The query parameter, such as a signed token, that replaces the key. */
  tokenParameter?: string;
  /** Whether the request counts toward the quota; it is rejected if the quota is used up. */
  usesQuota?: true;
  idempotency?: IdempotencyOptions<D>;
  /** Whether a request with a webhook_url leads to a callback. */
  sendsCallback?: true;
  /** Whether a request with this body asks for an asynchronous render. */
  isAsynchronous?: (body: unknown) => boolean;
  request?: RouteRequest<B, Q, P>;
  /** The first one is the response of a handler that returns data. */
  responses: [RouteResponse<S>, ...RouteResponse[]];
  /** The errors besides those that follow from the other properties. */
  errors?: readonly ErrorName[];
  handle: (context: C, dependencies: D) => Promise<FastifyReply | (S extends z.ZodType ? z.output<S> : never)>;
};

type AnyRouteDefinition<D> = RouteDefinition<D, never, Body, Fields, Fields, z.ZodType | null>;

/** A route of any types, with all of its errors. */
export type Route<D = Dependencies> = Omit<AnyRouteDefinition<D>, 'handle' | 'errors' | 'responses'> & {
  responses: RouteResponse[];
  errors: ErrorName[];
  handle: (context: CallerContext<never, never, never>, dependencies: D) => Promise<unknown>;
};

const callerErrors: ErrorName[] = [
  'missing_authorization',
  'invalid_api_key',
  'revoked_api_key',
  'expired_api_key',
  'invalid_session',
  'cross_origin_request',
  'account_not_found',
  'account_suspended',
  'insufficient_permissions',
  'rate_limit_exceeded',
  'transfers_too_large',
  'internal_error',
  'service_unavailable',
];

const sessionErrors: Readonly<Record<NonNullable<Route['session']>, readonly ErrorName[]>> = {
  callback: ['internal_error'],
  start: ['cross_origin_request', 'rate_limit_exceeded', 'internal_error', 'service_unavailable'],
  required: ['invalid_session', 'cross_origin_request', 'rate_limit_exceeded', 'internal_error', 'service_unavailable'],
  operator: [
    'invalid_session',
    'cross_origin_request',
    'insufficient_permissions',
    'rate_limit_exceeded',
    'internal_error',
    'service_unavailable',
  ],
};

const idempotencyKey = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'A text of your choice, kept for 24 hours. A repeated request with the same key, body and query returns the ' +
        'first response with the header Idempotency-Replayed: true; the operation does not run twice. Test keys and ' +
        'live keys of an account do not share it.',
    ),
});
const replayHeader = {
  'Idempotency-Replayed': 'true if the response is that of an earlier request with the same Idempotency-Key.',
};

type RouteWithoutErrors = Omit<Route<never>, 'errors'> & { errors?: readonly ErrorName[] };

const errorsOf = ({
  permission,
  session,
  tokenParameter,
  usesQuota,
  idempotency,
  request = {},
  errors = [],
}: RouteWithoutErrors): ErrorName[] => [
  ...(permission ? callerErrors : []),
  ...(session ? sessionErrors[session] : []),
  // A wrong token is 404, not 400.
  ...(request.body || request.headers || (request.query && !tokenParameter) ? (['invalid_request'] as const) : []),
  ...(request.body ? (['payload_too_large'] as const) : []),
  ...(usesQuota ? (['quota_exceeded'] as const) : []),
  ...errors,
  ...(idempotency ? (['idempotency_conflict', 'idempotency_in_progress'] as const) : []),
];

const withIdempotencyKey = <R extends Pick<Route<never>, 'request' | 'responses'>>(definition: R): R => {
  const [first, ...others] = definition.responses;
  return {
    ...definition,
    request: { ...definition.request, headers: idempotencyKey },
    responses: [{ ...first!, headers: { ...first!.headers, ...replayHeader } }, ...others],
  };
};

/** A misspelt parameter of a request that changes something is an error: its effect could not be taken back. */
const withStrictQuery = <R extends Pick<Route<never>, 'method' | 'request'>>(definition: R): R => {
  if (definition.method === 'GET') return definition;
  const query = (definition.request?.query ?? z.object({})).strict();
  return { ...definition, request: { ...definition.request, query } };
};

const completeRoute = <D>(definition: object): Route<D> => {
  const route = withStrictQuery(definition as Route<D>);
  return { ...(route.idempotency ? withIdempotencyKey(route) : route), errors: errorsOf(route) };
};

/** The contexts of handlers, by what their route needs. */
type Contexts<B, Q, P> = {
  permission: CallerContext<B, Q, P>;
  session: SessionContext<B, Q, P>;
  nothing: RequestContext<B, Q, P>;
};

type DefineRoute<Need extends keyof Contexts<never, never, never>, Properties> = <
  S extends z.ZodType | null,
  B extends Body = undefined,
  Q extends Fields = undefined,
  P extends Fields = undefined,
>(
  definition: Properties &
    RouteDefinition<Dependencies, Contexts<SchemaOutput<B>, SchemaOutput<Q>, SchemaOutput<P>>[Need], B, Q, P, S>,
) => Route;

/** Defines a route that needs a key with a permission. */
export const route: DefineRoute<'permission', { permission: Permission }> = completeRoute;

/** Defines a route that needs no key, or accepts a token in its place. */
export const publicRoute = <D, S extends z.ZodType | null, Q extends Fields = undefined, P extends Fields = undefined>(
  definition: RouteDefinition<D, RequestContext<undefined, SchemaOutput<Q>, SchemaOutput<P>>, undefined, Q, P, S>,
): Route<D> => completeRoute(definition);

/** Defines a route for a signed-in person, who acts for no account; `session: 'operator'` is for operators only. */
export const sessionRoute: DefineRoute<'session', { session: 'required' | 'operator' }> = completeRoute;

/** Defines a route that signs a person in. It needs no session, and must be called by a page of the service. */
export const signInRoute: DefineRoute<'nothing', { session: 'start' | 'callback' }> = completeRoute;

/** The names of schemas in the OpenAPI document; schemas without a name are inlined. */
export const schemaNames = z.registry<{ id: string }>();

/** Gives a schema its name in the document, and returns it. */
export const nameSchema = <S extends z.ZodType>(id: string, schema: S): S => {
  schemaNames.add(schema, { id });
  return schema;
};

/** The errors of every render, whatever its input. */
export const renderingErrors = [
  'conversion_failed',
  'image_load_failed',
  'selector_not_found',
  'conformance_not_met',
  'invalid_factur_x',
  'processing_timeout',
  'javascript_timeout',
  'pdf_too_large',
  'output_too_large',
  'image_too_large',
] as const satisfies ErrorName[];

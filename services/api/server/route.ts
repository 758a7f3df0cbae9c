import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Permission } from '#contracts/events/account.ts';
import type { ErrorName } from '#contracts/http/errors.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import type { CallerContext, RequestContext } from './context.ts';
import type { Dependencies } from './dependencies.ts';

export type Example = { summary: string; value: unknown };
type Examples = Record<string, Example>;
type Body = z.ZodType | undefined;
type Fields = z.ZodObject | undefined;
type SchemaOutput<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a route takes. `headers` are for the reference alone; all others are checked before the handler runs. */
export type RouteRequest<B extends Body = Body, Q extends Fields = Fields, P extends Fields = Fields> = {
  body?: B;
  bodyIsOptional?: true;
  /** Reads the body where the schema's own errors do not say enough. @throws Problem */
  readBody?: (fields: Record<string, unknown>, limits: PlanLimits) => SchemaOutput<B>;
  examples?: Examples;
  query?: Q;
  params?: P;
  headers?: z.ZodObject;
};

/**
 * `schema` is null for an answer without a JSON body, `bytes` names the type of one that is not JSON;
 * `headers` are those beside the ones that every answer has.
 */
export type RouteResponse<S extends z.ZodType | null = z.ZodType | null> = {
  status: number;
  description: string;
  schema: S;
  contentType?: string;
  examples?: Examples;
  headers?: Record<string, string>;
};

/** What makes a route do a request once for each Idempotency-Key. */
export type IdempotencyOptions<D = Dependencies> = {
  /** The stream in which the work of this id leaves its first trace. */
  streamOf: (id: string) => string;
  /** Gives the first answer again; null while there is no trace of the work, `running` while it has not ended. */
  replay: (context: CallerContext, dependencies: D) => Promise<FastifyReply | 'running' | null>;
};

/** One thing that the API can do, bound once: the reference, the checks and the handler follow from it. */
type RouteDefinition<D, C, B extends Body, Q extends Fields, P extends Fields, S extends z.ZodType | null> = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its parameters in braces. */
  path: `/${string}`;
  tag: 'Rendering' | 'Jobs' | 'Templates' | 'Account' | 'Operation';
  summary: string;
  description: string;
  /** What the key must be allowed to do; a route without one needs no key. */
  permission?: Permission;
  /** The query parameter, such as a signed token, that serves in place of a key. */
  tokenParameter?: string;
  /** Whether what it makes counts toward the quota: a key of an account without any left is refused. */
  usesQuota?: true;
  idempotency?: IdempotencyOptions<D>;
  /** Whether nobody waits for the work that a request with this body asks for. */
  isAsynchronous?: (body: unknown) => boolean;
  request?: RouteRequest<B, Q, P>;
  /** The first one is that of a handler which returns data. */
  responses: [RouteResponse<S>, ...RouteResponse[]];
  /** The errors beside those that follow from the rest. */
  errors?: readonly ErrorName[];
  handle: (context: C, dependencies: D) => Promise<FastifyReply | (S extends z.ZodType ? z.output<S> : never)>;
};

type AnyRouteDefinition<D> = RouteDefinition<D, never, Body, Fields, Fields, z.ZodType | null>;

/** A route whatever it takes and gives, with all of its errors. */
export type Route<D = Dependencies> = Omit<AnyRouteDefinition<D>, 'handle' | 'errors' | 'responses'> & {
  responses: RouteResponse[];
  errors: ErrorName[];
  handle: (context: CallerContext<never, never, never>, dependencies: D) => Promise<unknown>;
};

const apiKeyErrors: ErrorName[] = [
  'missing_authorization',
  'invalid_api_key',
  'revoked_api_key',
  'expired_api_key',
  'account_suspended',
  'insufficient_permissions',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
];

const idempotencyKey = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'A text of your choice, remembered for 24 hours. Sent again with the same body, it brings back what was answered first, marked Idempotency-Replayed: true, and nothing is done twice.',
    ),
});
const replayHeader = {
  'Idempotency-Replayed': 'true where the answer is that of an earlier request with the same Idempotency-Key.',
};

type RouteWithoutErrors = Omit<Route<never>, 'errors'> & { errors?: readonly ErrorName[] };

const errorsOf = ({
  permission,
  tokenParameter,
  usesQuota,
  idempotency,
  request = {},
  errors = [],
}: RouteWithoutErrors): ErrorName[] => [
  ...(permission ? apiKeyErrors : []),
  // A wrong token is not found.
  ...(request.body || request.headers || (request.query && !tokenParameter) ? (['invalid_request'] as const) : []),
  ...(request.body ? (['payload_too_large'] as const) : []),
  ...(usesQuota ? (['quota_exceeded'] as const) : []),
  ...errors,
  ...(idempotency ? (['idempotency_conflict', 'idempotency_in_progress'] as const) : []),
];

const withIdempotencyKey = <R extends Pick<Route<never>, 'request' | 'responses'>>(row: R): R => {
  const [first, ...others] = row.responses;
  return {
    ...row,
    request: { ...row.request, headers: idempotencyKey },
    responses: [{ ...first!, headers: { ...first!.headers, ...replayHeader } }, ...others],
  };
};

const completeRoute = <D>(row: object): Route<D> => {
  const route = row as Route<D>;
  return { ...(route.idempotency ? withIdempotencyKey(route) : route), errors: errorsOf(route) };
};

/** A route that needs a key with a permission. */
export const route = <
  S extends z.ZodType | null,
  B extends Body = undefined,
  Q extends Fields = undefined,
  P extends Fields = undefined,
>(
  row: RouteDefinition<Dependencies, CallerContext<SchemaOutput<B>, SchemaOutput<Q>, SchemaOutput<P>>, B, Q, P, S> & {
    permission: Permission;
  },
): Route => completeRoute(row);

/** A route that needs no key, or takes something else in its place. */
export const publicRoute = <D, S extends z.ZodType | null, Q extends Fields = undefined, P extends Fields = undefined>(
  row: RouteDefinition<D, RequestContext<undefined, SchemaOutput<Q>, SchemaOutput<P>>, undefined, Q, P, S>,
): Route<D> => completeRoute(row);

/** The names under which schemas stand in the OpenAPI document; schemas without one stand where they are used. */
export const schemaNames = z.registry<{ id: string }>();

/** Gives a schema the name under which it stands in the document; answers with the schema. */
export const nameSchema = <S extends z.ZodType>(id: string, schema: S): S => {
  schemaNames.add(schema, { id });
  return schema;
};

/** What can go wrong while a PDF is made, whatever it is made from. */
export const renderingErrors = [
  'conversion_failed',
  'image_load_failed',
  'processing_timeout',
  'javascript_timeout',
  'pdf_too_large',
] as const satisfies ErrorName[];

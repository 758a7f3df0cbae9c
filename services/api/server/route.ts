import { z } from 'zod';
import type { permissions } from '#contracts/events/account.ts';
import type { ErrorName } from '#contracts/http/errors.ts';

export type Permission = (typeof permissions)[number];
export type Example = { summary: string; value: unknown };

export type RouteRequest = { body?: z.ZodType; bodyIsOptional?: true; examples?: Record<string, Example>; query?: z.ZodObject; params?: z.ZodObject; headers?: z.ZodObject };

/** `schema` is null for an answer without a JSON body, `bytes` names the type of one that is not JSON; `headers` are those beside the ones that every answer has. */
export type RouteResponse = { status: number; description: string; schema: z.ZodType | null; bytes?: string; examples?: Record<string, Example>; headers?: Record<string, string> };

/** One thing that the API can do, as far as a caller sees it. `path` has its parameters in braces. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: `/${string}`;
  tag: 'Rendering' | 'Jobs' | 'Templates' | 'Account' | 'Operation';
  summary: string;
  description: string;
  permission?: Permission;
  /** Where something in the address, such as a signed token, serves in place of a key. */
  keyOptional?: true;
  request?: RouteRequest;
  responses: RouteResponse[];
  errors: ErrorName[];
};

/** The names under which schemas stand in the OpenAPI document; schemas without one stand where they are used. */
export const schemaNames = z.registry<{ id: string }>();

/** Gives a schema the name under which it stands in the document; answers with the schema. */
export const named = <S extends z.ZodType>(id: string, schema: S): S => {
  schemaNames.add(schema, { id });
  return schema;
};

const anyCall = [
  'missing_authorization', 'invalid_api_key', 'revoked_api_key', 'expired_api_key', 'account_suspended', 'insufficient_permissions',
  'rate_limit_exceeded', 'internal_error', 'service_unavailable',
] as const satisfies ErrorName[];

/** The errors of a call with a key and without a body, and `more`. */
export const callErrors = (...more: ErrorName[]): ErrorName[] => [...anyCall, ...more];

/** The errors of a call with a key and a JSON body, and `more`. */
export const bodyErrors = (...more: ErrorName[]): ErrorName[] => callErrors('invalid_request', 'payload_too_large', ...more);

/** What can go wrong while a PDF is made, whatever it is made from. */
export const printErrors = ['conversion_failed', 'image_load_failed', 'processing_timeout', 'javascript_timeout', 'pdf_too_large'] as const satisfies ErrorName[];

export const idempotencyKey = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('A text of your choice, remembered for 24 hours. Sent again with the same body, it brings back what was answered first, marked Idempotency-Replayed: true, and nothing is done twice.'),
});
export const idempotencyErrors = ['idempotency_conflict', 'idempotency_in_progress'] as const satisfies ErrorName[];
export const replayHeader = { 'Idempotency-Replayed': 'true where the answer is that of an earlier request with the same Idempotency-Key.' };

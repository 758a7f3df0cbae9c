import { expect } from 'vitest';
import { type ErrorName, errors } from '#contracts/http/errors.ts';
import type { ApiResponse, Body } from './api-client.ts';

// Texts that would reveal internals of the service.
const internalDetails = [
  /\n\s+at /,
  /\.ts\b/,
  /node_modules/,
  /node:/,
  /sqlite/i,
  /\/(?:tmp|home|root|usr|work|app)\//,
  /piscina/i,
  /\bFST_/,
  /TypeError|ReferenceError|RangeError/,
  /undefined(?! entity)/,
];

/** Checks an error response: status, body, request id, exactly the fields of the error table, and nothing internal. */
export const expectErrorResponse = (response: ApiResponse, name: ErrorName, fields: Body = {}): Body => {
  const { error, status, extra } = errors[name];
  const { body, text, headers } = response;
  expect([response.status, body.error], text.slice(0, 500)).toEqual([status, error]);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(body.code).toBe(status);
  expect(body.message).toMatch(/\S.{9,}/);
  expect(body.request_id).toMatch(/^req_/);
  expect(headers.get('x-request-id')).toBe(body.request_id);
  const {
    error: _error,
    message: _message,
    code: _code,
    request_id: _requestId,
    render_id: _renderId,
    part: _part,
    ...extraFields
  } = body;
  expect(extra.strict().safeParse(extraFields).error?.issues ?? []).toEqual([]);
  for (const internal of internalDetails) expect(text).not.toMatch(internal);
  expect(body).toMatchObject(fields);
  return body;
};

import type { FastifyRequest } from 'fastify';
import { Problem } from '#contracts/http/problem.ts';

/** The body of a request that must have one. @throws Problem invalid_request */
export const bodyOf = (request: FastifyRequest): Record<string, unknown> => {
  if (!request.body) throw Problem.of('invalid_request', 'The body is empty; it must be a JSON object.');
  return request.body as Record<string, unknown>;
};

/** The path's parameters, all of them text. */
export const pathOf = (request: FastifyRequest): Record<string, string> => request.params as Record<string, string>;

/** The query's parameters. */
export const queryOf = (request: FastifyRequest): Record<string, unknown> => request.query as Record<string, unknown>;

/** The version that If-Match names, as a number, plain or quoted; null without the header or with `*`. @throws Problem invalid_request */
export const ifMatchOf = (request: FastifyRequest): number | null => {
  const header = request.headers['if-match'];
  if (header === undefined || header === '*') return null;
  const version = /^"?(\d{1,9})"?$/.exec(header)?.[1];
  if (!version) throw Problem.of('invalid_request', 'If-Match must hold a version number, such as 3.', { field: 'If-Match' });
  return Number(version);
};

import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/** A strong entity tag for content that is served as it is. */
export const etagFor = (content: Uint8Array): string => `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;

/** Whether the header If-None-Match names this strong entity tag, so that the response is 304 (RFC 9110, 13.1.2). */
export const matchesIfNoneMatch = ({ headers }: FastifyRequest, etag: string): boolean =>
  (headers['if-none-match'] ?? '')
    .split(',')
    .map((entry) => entry.trim().replace(/^W\//, ''))
    .some((known) => known === etag || known === '*');

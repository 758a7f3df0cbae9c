import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

const hashes = new WeakMap<FastifyRequest, string>();

/** Remembers what a request's body was, where the caller may send it again. */
export const rememberBody = (request: FastifyRequest, body: Uint8Array): void => {
  if (request.headers['idempotency-key'] !== undefined) hashes.set(request, createHash('sha256').update(body).digest('hex'));
};

/** SHA-256 of the body's bytes in hex. */
export const bodySha256 = (request: FastifyRequest): string => hashes.get(request) ?? '';

import type { FastifyRequest } from 'fastify';
import type { JsonBody, Written } from './read-json.ts';

type Kept = Pick<JsonBody, 'written' | 'sha256'>;

const bodies = new WeakMap<FastifyRequest, Kept>();

/** Whether the SHA-256 of the body is needed: where the caller may send it again. */
export const wantsHash = ({ headers }: FastifyRequest): boolean => headers['idempotency-key'] !== undefined;

/** Keeps what a request's body was beside the fields that its route is given. */
export const rememberBody = (request: FastifyRequest, { written, sha256 }: Kept): void => void bodies.set(request, { written, sha256 });

/** SHA-256 of the body's bytes in hex. */
export const bodySha256 = (request: FastifyRequest): string => bodies.get(request)?.sha256 ?? '';

/** The long texts of the body, as the caller wrote them. */
export const writtenIn = (request: FastifyRequest): Written => bodies.get(request)?.written ?? {};

import type { FastifyReply } from 'fastify';

const join = (directives: readonly string[]): string => directives.join('; ');

/**
 * All parts come from this service, and the page connects to no other. Libraries add style elements; those have the
 * nonce of the response. The pages of PDFs are drawn by scripts in a worker.
 */
export const dashboardPolicy = (nonce: string): string =>
  join([
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "frame-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]);

/** For a page without scripts, with one style element of this SHA-256. */
export const staticPagePolicy = (styleHash: string): string =>
  join([
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);

/** The headers of every response of the dashboard. */
export const setSafeHeaders = (reply: FastifyReply): FastifyReply =>
  reply
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cross-origin-resource-policy', 'same-origin');

/** Sends a page that may not be kept without asking again. */
export const sendPage = (reply: FastifyReply, html: string, policy: string): FastifyReply =>
  setSafeHeaders(reply)
    .header('content-security-policy', policy)
    .header('x-frame-options', 'DENY')
    .header('cache-control', 'no-cache')
    .type('text/html; charset=utf-8')
    .send(html);

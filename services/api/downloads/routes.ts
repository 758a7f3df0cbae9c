import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import parseRange from 'range-parser';
import { Problem } from '#contracts/http/problem.ts';
import { bareId, renderIdOf, streams } from '#contracts/names.ts';
import { BlobMissing, type BlobStore } from '#libs/blob-store/port.ts';
import { render } from '#libs/domain/render.ts';
import { load, type Log } from '#application/handling/handle.ts';
import { checkToken } from '#libs/secrets/download-token.ts';
import type { ServiceSecrets } from '#libs/secrets/service-secret.ts';
import { requirePermission } from '../server/authenticate.ts';
import { callerIfAny } from '../server/caller.ts';
import { pathOf, queryOf } from '../server/query.ts';

export type DownloadParts = { log: Log; blobs: BlobStore; secrets: ServiceSecrets };

export const downloadPath = '/api/v1/download/:render_id';

const notFound = (): Problem => Problem.of('not_found', 'There is no such PDF.');
const expired = (): Problem => Problem.of('download_expired', 'The PDF could be fetched for an hour; the hour is over.');

const permittedByToken = ({ secrets, log }: DownloadParts, id: string, token: string): void => {
  const verdict = checkToken(secrets, id, token, log.now());
  if (verdict === 'wrong') throw notFound();
  if (verdict === 'expired') throw expired();
};

/** Asks the log, not a read model: a callback's receiver may come for the PDF before any read model knows that it is there. */
const keptPdf = async ({ log }: DownloadParts, id: string, accountId: string | null): Promise<{ sha256: string; keptUntil: string }> => {
  const { history, aggregate } = await load(log, render, streams.render(id));
  const requested = history.find((event) => event.type === 'RenderRequested')?.data;
  if (!requested || (accountId !== null && requested.accountId !== accountId) || aggregate.state.status !== 'DONE') throw notFound();
  const { pdf } = aggregate.state;
  // That of a render that was waited for is kept only when it was made again.
  if (pdf === null && requested.reply.kind === 'wait') throw notFound();
  if (pdf === null || log.now() >= new Date(pdf.keptUntil)) throw expired();
  return pdf;
};

const requirePdf = async (parts: DownloadParts, request: FastifyRequest): Promise<{ id: string; sha256: string; bytes: Uint8Array }> => {
  const id = bareId('render', pathOf(request).render_id!);
  if (!id) throw notFound();
  const caller = callerIfAny(request);
  if (caller) requirePermission(caller, 'jobs:read');
  else permittedByToken(parts, id, String(queryOf(request).token));
  const { sha256, keptUntil } = await keptPdf(parts, id, caller?.account.id ?? null);
  const bytes = await parts.blobs.get(sha256).catch((error: unknown) => {
    // The hour may have ended just now; before that it must be there.
    throw error instanceof BlobMissing && parts.log.now() >= new Date(keptUntil) ? expired() : error;
  });
  return { id, sha256, bytes };
};

/** The range that is asked for. Only GET knows ranges (RFC 9110, 14.2), and If-Range must name what the caller has a part of (13.1.5). */
const rangeOf = ({ method, headers }: FastifyRequest, etag: string): string | undefined =>
  method === 'GET' && (headers['if-range'] === undefined || headers['if-range'] === etag) ? headers.range : undefined;

const sendBytes = (request: FastifyRequest, reply: FastifyReply, bytes: Uint8Array, etag: string): FastifyReply => {
  const range = rangeOf(request, etag);
  const parsed = range === undefined ? -2 : parseRange(bytes.byteLength, range, { combine: true });
  if (parsed === -1) return reply.status(416).header('content-range', `bytes */${bytes.byteLength}`).send();
  // Several separate parts are not worth a multipart answer: the whole is allowed, too (RFC 9110, 14.2).
  if (parsed === -2 || parsed.type !== 'bytes' || parsed.length !== 1) return reply.send(bytes);
  const { start, end } = parsed[0]!;
  return reply.status(206).header('content-range', `bytes ${start}-${end}/${bytes.byteLength}`).send(bytes.subarray(start, end + 1));
};

/** Finished PDFs of asynchronous renders, for whoever has the token or the account's key. */
export const registerDownloads = (app: FastifyInstance, parts: DownloadParts): void => {
  app.get(downloadPath, async (request, reply) => {
    const { id, sha256, bytes } = await requirePdf(parts, request);
    const etag = `"${sha256}"`;
    reply.headers({
      'content-type': 'application/pdf', 'content-disposition': `attachment; filename="${renderIdOf(id)}.pdf"`, etag,
      'accept-ranges': 'bytes', 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff',
    });
    const known = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''));
    if (known?.some((one) => one === etag || one === '*')) return reply.status(304).send();
    return sendBytes(request, reply, bytes, etag);
  });
};

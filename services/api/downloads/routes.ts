import type { FastifyReply, FastifyRequest } from 'fastify';
import parseRange from 'range-parser';
import { z } from 'zod';
import { ApiError } from '#contracts/http/api-error.ts';
import { bareId, renderIdOf, streams } from '#contracts/names.ts';
import { BlobNotFound } from '#libs/blob-store/port.ts';
import { render } from '#libs/domain/render.ts';
import { loadAggregate } from '#application/command-handling/aggregate.ts';
import { checkDownloadToken } from '#libs/secrets/download-token.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { publicRoute, type Route } from '../server/route.ts';

const notFound = (): ApiError => ApiError.of('not_found', 'There is no such PDF.');
const expired = (): ApiError =>
  ApiError.of('download_expired', 'The PDF was available for one hour; the hour is over.');

const requireValidToken = ({ secrets, eventLog }: Dependencies, id: string, token: string): void => {
  const result = checkDownloadToken(secrets, id, token, eventLog.now());
  if (result === 'invalid') throw notFound();
  if (result === 'expired') throw expired();
};

type KeptPdf = { sha256: string; keptUntil: string };

/** Reads the event log: a webhook receiver may fetch the PDF before a read model shows it. */
const keptPdf = async ({ eventLog }: Dependencies, id: string, accountId: string | null): Promise<KeptPdf> => {
  const { history, aggregate } = await loadAggregate(eventLog, render, streams.render(id));
  const requested = history.find((event) => event.type === 'RenderRequested')?.data;
  if (!requested || (accountId !== null && requested.accountId !== accountId) || aggregate.state.status !== 'DONE')
    throw notFound();
  const { pdf } = aggregate.state;
  // The PDF of a synchronous render is kept only if it was regenerated.
  if (pdf === null && requested.responseMode.kind === 'wait') throw notFound();
  if (pdf === null || eventLog.now() >= new Date(pdf.keptUntil)) throw expired();
  return pdf;
};

const readPdf = async ({ blobs, eventLog }: Dependencies, sha256: string, keptUntil: string): Promise<Uint8Array> =>
  blobs.get(sha256).catch((error: unknown) => {
    // The hour may have ended since the check; before its end the blob must exist.
    throw error instanceof BlobNotFound && eventLog.now() >= new Date(keptUntil) ? expired() : error;
  });

/** The Range header, for GET only (RFC 9110, 14.2) and if If-Range names this PDF (13.1.5). */
const rangeOf = ({ method, headers }: FastifyRequest, etag: string): string | undefined =>
  method === 'GET' && (headers['if-range'] === undefined || headers['if-range'] === etag) ? headers.range : undefined;

const sendBytes = (request: FastifyRequest, reply: FastifyReply, bytes: Uint8Array, etag: string): FastifyReply => {
  const range = rangeOf(request, etag);
  const parsed = range === undefined ? -2 : parseRange(bytes.byteLength, range, { combine: true });
  if (parsed === -1) return reply.status(416).header('content-range', `bytes */${bytes.byteLength}`).send();
  // For several separate ranges the whole PDF is sent, as RFC 9110 (14.2) allows, not a multipart response.
  if (parsed === -2 || parsed.type !== 'bytes' || parsed.length !== 1) return reply.send(bytes);
  const { start, end } = parsed[0]!;
  return reply
    .status(206)
    .header('content-range', `bytes ${start}-${end}/${bytes.byteLength}`)
    .send(bytes.subarray(start, end + 1));
};

const params = z.object({ render_id: z.string().describe('render_<id>') });
// A repeated token parameter is a wrong token.
const query = z.object({ token: z.coerce.string().optional().describe('The token of pdf_url.') });
const pdfType = 'application/pdf';
const etagDescription = 'The SHA-256 of the PDF, in quotes.';

/** Downloads of PDFs, with a key of the account or with the token of `pdf_url`. */
export const downloadRoutes: Route[] = [
  publicRoute({
    method: 'GET',
    path: '/api/v1/download/{render_id}',
    tag: 'Jobs',
    summary: 'Fetch the PDF of a job',
    description:
      'The PDF is available for one hour after the end of an asynchronous render, or after the PDF of a synchronous ' +
      'render was regenerated for a repeated request. Then it is erased and only its hash remains. The address in ' +
      '`pdf_url` has a token that replaces the key. `Range` and `If-None-Match` are supported.',
    permission: 'jobs:read',
    tokenParameter: 'token',
    request: { params, query },
    responses: [
      { status: 200, description: 'The PDF.', schema: null, contentType: pdfType, headers: { ETag: etagDescription } },
      { status: 206, description: 'The requested range.', schema: null, contentType: pdfType },
      { status: 304, description: 'The PDF is the one that `If-None-Match` names.', schema: null },
      { status: 416, description: 'The PDF has no such range.', schema: null },
    ],
    errors: ['not_found', 'download_expired'],
    handle: async ({ caller, params: { render_id }, query: { token }, reply }, dependencies) => {
      const { request } = reply;
      const id = bareId('render', render_id);
      if (!id) throw notFound();
      if (!caller) requireValidToken(dependencies, id, token ?? '');
      const { sha256, keptUntil } = await keptPdf(dependencies, id, caller?.account.id ?? null);
      const bytes = await readPdf(dependencies, sha256, keptUntil);
      const etag = `"${sha256}"`;
      reply.headers({
        'content-type': pdfType,
        'content-disposition': `attachment; filename="${renderIdOf(id)}.pdf"`,
        etag,
        'accept-ranges': 'bytes',
        'cache-control': 'private, no-store',
        'x-content-type-options': 'nosniff',
      });
      const knownEtags = request.headers['if-none-match']?.split(',').map((entry) => entry.trim().replace(/^W\//, ''));
      if (knownEtags?.some((known) => known === etag || known === '*')) return reply.status(304).send();
      return sendBytes(request, reply, bytes, etag);
    },
  }),
];

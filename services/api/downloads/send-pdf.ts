import type { FastifyReply, FastifyRequest } from 'fastify';
import { combineRanges, parse, type Range } from 'range-parser';
import { ApiError } from '#contracts/http/api-error.ts';
import { fileNameFor, outputContentTypes, imageTypes } from '#contracts/http/output.ts';
import { BlobNotFound } from '#libs/blob-store/port.ts';
import type { StoredPdf } from '#application/renders/kept-pdf.ts';
import { attachmentOf } from '../server/attachment.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { matchesIfNoneMatch } from '../server/etag.ts';
import type { RouteResponse } from '../server/route.ts';

/** The error for a PDF that was kept. */
export const pdfExpired = (): ApiError =>
  ApiError.of('download_expired', 'The PDF is not kept any more: its time is over, or it could not be stored again.');

/** The error for a PDF that the blob store should have. The log tells the operator. */
const pdfLost = ({ log }: FastifyRequest, sha256: string): ApiError => {
  log.error({ sha256 }, 'a stored PDF is missing or damaged in the blob store; restore it from the backup');
  return ApiError.of(
    'service_unavailable',
    'The stored PDF is lost or damaged. The operator can restore it from the backup; until then, repeat the render: ' +
      'POST /api/v1/renders/{id}/repeat makes the PDF again.',
    { retry_after: 3600 },
  );
};

const readPdf = async (
  { blobs, eventLog }: Pick<Dependencies, 'blobs' | 'eventLog'>,
  request: FastifyRequest,
  { sha256, keptUntil, isStoring }: { sha256: string; keptUntil: string; isStoring?: true },
): Promise<Uint8Array> =>
  blobs.get(sha256).catch(async (error: unknown) => {
    if (!(error instanceof BlobNotFound)) throw error;
    // The hour may have ended since the check.
    if (eventLog.now() >= new Date(keptUntil)) throw pdfExpired();
    throw isStoring && !(await blobs.has(sha256)) ? error : pdfLost(request, sha256);
  });

/** The Range header, for GET only (RFC 9110, 14.2) and if If-Range names this PDF (13.1.5). */
const rangeOf = ({ method, headers }: FastifyRequest, etag: string): string | undefined =>
  method === 'GET' && (headers['if-range'] === undefined || headers['if-range'] === etag) ? headers.range : undefined;

/** A bit of the code of range-parser: a range of the header is not valid. */
const invalidRange = 1;

/** The ranges of the header that the bytes have; null for a header without valid byte ranges, which is ignored. */
const rangesIn = (header: string, size: number): readonly Range[] | null => {
  const { code, type, ranges } = parse(size, header);
  return type === 'bytes' && (code & invalidRange) === 0 ? combineRanges(ranges) : null;
};

const sendBytes = (request: FastifyRequest, reply: FastifyReply, bytes: Uint8Array, etag: string): FastifyReply => {
  const header = rangeOf(request, etag);
  const ranges = header === undefined ? null : rangesIn(header, bytes.byteLength);
  if (ranges?.length === 0) return reply.status(416).header('content-range', `bytes */${bytes.byteLength}`).send();
  // For several separate ranges the whole PDF is sent, as RFC 9110 (14.2) allows, not a multipart response.
  if (ranges?.length !== 1) return reply.send(bytes);
  const { start, end } = ranges[0]!;
  return reply
    .status(206)
    .header('content-range', `bytes ${start}-${end}/${bytes.byteLength}`)
    .send(bytes.subarray(start, end + 1));
};

/** Sends a stored PDF or the stored images of the account, or the range that the request asks for. */
export const sendKeptPdf = async (
  dependencies: Pick<Dependencies, 'blobs' | 'eventLog' | 'transfers'>,
  reply: FastifyReply,
  accountId: string,
  kept: Omit<StoredPdf, 'thumbnail'> & { isStoring?: true },
): Promise<FastifyReply> => {
  const { request } = reply;
  dependencies.transfers.beginResponse(reply, accountId, kept.size);
  const bytes = await readPdf(dependencies, request, kept);
  const etag = `"${kept.sha256}"`;
  reply.headers({
    'content-type': kept.contentType,
    'content-disposition': attachmentOf(kept.fileName),
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  });
  if (matchesIfNoneMatch(request, etag)) return reply.status(304).send();
  return sendBytes(request, reply, bytes, etag);
};

const thumbnailType = imageTypes.png.contentType;

const responsesOf = (
  description: string,
  contentType: string | readonly string[],
): [RouteResponse<null>, ...RouteResponse[]] => [
  { status: 200, description, schema: null, contentType, headers: { ETag: 'The SHA-256 of the file, in quotes.' } },
  { status: 206, description: 'The requested range.', schema: null, contentType },
  { status: 304, description: 'The file is the one that `If-None-Match` names.', schema: null },
  { status: 416, description: 'The file has no such range.', schema: null },
];
/** The responses of a route that sends a stored PDF. */
export const pdfResponses = responsesOf('The PDF, or the images that the request asked for.', outputContentTypes);

/** The thumbnail of a stored PDF; null if it has none. */
export const thumbnailOf = ({ thumbnail, keptUntil, fileName }: StoredPdf): Omit<StoredPdf, 'thumbnail'> | null =>
  thumbnail === undefined
    ? null
    : { ...thumbnail, keptUntil, contentType: thumbnailType, fileName: fileNameFor(fileName, thumbnailType) };
export const thumbnailResponses = responsesOf('The image of the first page.', thumbnailType);

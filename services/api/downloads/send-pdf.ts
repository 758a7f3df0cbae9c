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

/** A stored file of a render. */
type StoredFile = Omit<StoredPdf, 'thumbnail'> & { what: 'PDF' | 'thumbnail' };

const fileExpired = (what: StoredFile['what']): ApiError =>
  ApiError.of(
    'download_expired',
    `The ${what} is not kept any more: its time is over, or it could not be stored again.`,
  );
/** The error for a PDF that was kept. */
export const pdfExpired = (): ApiError => fileExpired('PDF');

const fileBeingStored = (what: StoredFile['what']): ApiError =>
  ApiError.of('service_unavailable', `The ${what} is being stored. Try again in a moment.`, { retry_after: 2 });

/** The error for a file that the blob store should have. The log tells the operator. */
const fileLost = ({ log }: FastifyRequest, { what, sha256 }: StoredFile): ApiError => {
  log.error({ sha256 }, `a stored ${what} is missing or damaged in the blob store; restore it from the backup`);
  return ApiError.of(
    'service_unavailable',
    `The stored ${what} is lost or damaged. POST /api/v1/renders/{id}/verify with "keep_pdf": true stores it again if ` +
      'the document still gives the same bytes. If not, the operator can restore it from the backup, or ' +
      'POST /api/v1/renders/{id}/repeat makes a new one.',
    { retry_after: 3600 },
  );
};

const readFile = async (
  { blobs, eventLog }: Pick<Dependencies, 'blobs' | 'eventLog'>,
  request: FastifyRequest,
  file: StoredFile,
): Promise<Uint8Array> =>
  blobs.get(file.sha256).catch(async (error: unknown) => {
    if (!(error instanceof BlobNotFound)) throw error;
    // The hour may have ended since the check.
    if (eventLog.now() >= new Date(file.keptUntil)) throw fileExpired(file.what);
    if (file.second === undefined) throw fileLost(request, file);
    // It may have been stored since, or its bytes are damaged.
    if (await blobs.has(file.sha256))
      return blobs.get(file.sha256).catch((again: unknown) => {
        throw again instanceof BlobNotFound ? fileLost(request, file) : again;
      });
    throw file.second === 'being stored' ? fileBeingStored(file.what) : fileExpired(file.what);
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

type SendDependencies = Pick<Dependencies, 'blobs' | 'eventLog' | 'transfers'>;

/** Sends a stored file of the account, or the range that the request asks for. */
const sendStoredFile = async (
  dependencies: SendDependencies,
  reply: FastifyReply,
  accountId: string,
  file: StoredFile,
): Promise<FastifyReply> => {
  const { request } = reply;
  dependencies.transfers.beginResponse(reply, accountId, file.size);
  const bytes = await readFile(dependencies, request, file);
  const etag = `"${file.sha256}"`;
  reply.headers({
    'content-type': file.contentType,
    'content-disposition': attachmentOf(file.fileName),
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

/** Sends a stored PDF, or the images that the request asked for. */
export const sendKeptPdf = (
  dependencies: SendDependencies,
  reply: FastifyReply,
  accountId: string,
  kept: StoredPdf,
): Promise<FastifyReply> => sendStoredFile(dependencies, reply, accountId, { ...kept, what: 'PDF' });

/** Sends the thumbnail of a stored PDF. @throws ApiError not_found if it has none */
export const sendThumbnail = async (
  dependencies: SendDependencies,
  reply: FastifyReply,
  accountId: string,
  kept: StoredPdf,
): Promise<FastifyReply> => {
  const { thumbnail, fileName } = kept;
  if (thumbnail === undefined) throw ApiError.of('not_found', 'The render has no thumbnail.');
  const file = { ...kept, ...thumbnail, contentType: thumbnailType, fileName: fileNameFor(fileName, thumbnailType) };
  return sendStoredFile(dependencies, reply, accountId, { ...file, what: 'thumbnail' });
};
export const thumbnailResponses = responsesOf('The image of the first page.', thumbnailType);

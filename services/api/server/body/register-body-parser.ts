import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { truncateForMessage, ApiError, invalidField } from '#contracts/http/api-error.ts';
import { bytesPerMb, bytesToMb } from '#libs/sizes/sizes.ts';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import { planLimits } from '#application/accounts/queries.ts';
import { callerOf, needsBodyHash } from '../request.ts';
import type { Transfers } from '../transfers.ts';
import { type BodyReader, openBodyReader } from './body-reader.ts';

/** RFC 2046, 5.1.1. */
const boundaryPattern = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;

/** The boundary in a multipart/form-data content type. @throws ApiError invalid_request */
export const boundaryOf = (contentType: string): string => {
  const match = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2] ?? '';
  if (boundaryPattern.test(boundary)) return boundary;
  throw invalidField(
    'Content-Type',
    boundary === ''
      ? 'The content type multipart/form-data has no boundary. Let your HTTP client set this header.'
      : `The boundary of the content type is not allowed: ${truncateForMessage(boundary)}`,
  );
};

const tooLarge = (maxMb: number, bytes: number): ApiError =>
  ApiError.of(
    'payload_too_large',
    `The request has at least ${bytesToMb(bytes)} MB; at most ${maxMb} MB are allowed.`,
    {
      max_size_mb: maxMb,
      received_size_mb: bytesToMb(bytes),
    },
  );

/** Each piece of a body costs time and some 450 bytes of memory of its own. */
const allowedPieces = 10_000;
const minAverageBytes = 512;

const tooManyPieces = (pieces: number, bytes: number): ApiError =>
  invalidField(
    'body',
    `The body arrives in too many small pieces: ${pieces} with ${Math.round(bytes / pieces)} bytes on average. ` +
      // The network can cut each of them in two.
      `Send at least ${2 * minAverageBytes} bytes at once.`,
  );

/**
 * Reads at most `maxMb` of a body. A request that announces or sends more is rejected without waiting for the rest. `count` is
 * called with the length of the body before it is read; without an announced length, with each MB before that is kept.
 * @throws ApiError payload_too_large, or invalid_request if the caller disconnects or sends too small pieces, and errors
 * of `count`
 */
const readBytes = async (request: IncomingMessage, maxMb: number, count: (bytes: number) => void): Promise<Buffer> => {
  const maxBytes = maxMb * bytesPerMb;
  const contentLength = Number(request.headers['content-length'] ?? 0);
  if (contentLength > maxBytes) throw tooLarge(maxMb, contentLength);
  count(contentLength);
  const chunks: Buffer[] = [];
  let size = 0;
  let counted = contentLength;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge(maxMb, size);
      for (; counted < size; counted += bytesPerMb) count(bytesPerMb);
      if (chunks.push(chunk) > allowedPieces && size < chunks.length * minAverageBytes)
        throw tooManyPieces(chunks.length, size);
    }
  } catch (error) {
    throw request.errored ? invalidField('body', 'The connection ended before the body was complete.') : error;
  }
  return Buffer.concat(chunks, size);
};

/** Node reads chunks, and passes on what other transfer codings (RFC 9112, 7) made of a body. */
const requireUncompressed = ({ headers }: FastifyRequest): void => {
  const requireCoding = (field: string, coding: string | undefined, allowed: string): void => {
    if (coding === undefined || coding.toLowerCase() === allowed) return;
    const what = field.toLowerCase().replace('-', ' ');
    throw invalidField(field, `The ${what} ${truncateForMessage(coding)} is not allowed; send the body uncompressed.`);
  };
  requireCoding('Content-Encoding', headers['content-encoding'], 'identity');
  requireCoding('Transfer-Encoding', headers['transfer-encoding'], 'chunked');
};

/** Larger than the requests of people before they have chosen an account. */
const maxMbWithoutAccount = 0.0625;

/** The maximum size of the body, and who it is for: large bodies of several owners are read in turn. */
const bodyLimitOf = (request: FastifyRequest): { maxMb: number; owner: string } => {
  if (request.routeOptions.config.route?.session)
    return { maxMb: maxMbWithoutAccount, owner: request.person?.personId ?? 'sign-in' };
  const { account } = callerOf(request);
  return { maxMb: planLimits(account).maxPayloadMb, owner: account.id };
};

type Fields = Record<string, unknown>;

type BodyDependencies = { bodies: BodyReader; transfers: Transfers };

const parseBody = async (
  { bodies, transfers }: BodyDependencies,
  request: FastifyRequest,
  payload: IncomingMessage,
  boundary: string | null,
): Promise<Fields | null> => {
  requireUncompressed(request);
  const { maxMb, owner } = bodyLimitOf(request);
  const ends: (() => void)[] = [];
  try {
    const bytes = await readBytes(payload, maxMb, (count) => void ends.push(transfers.begin(owner, count)));
    if (bytes.byteLength === 0) return null;
    const format = { boundary, wantsHash: needsBodyHash(request) };
    const { fields, exactSampleData, ...receivedBody } = await bodies.read(bytes, format, owner);
    request.receivedBody = receivedBody;
    return exactSampleData === undefined ? fields : { ...fields, sample_data: parseExactJson(exactSampleData) };
  } finally {
    for (const end of ends) end();
  }
};

const acceptsMultipart = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.route?.request?.multipart !== undefined;

const unknownType = (request: FastifyRequest): ApiError => {
  const received = truncateForMessage(request.headers['content-type'] ?? '(none)');
  const allowed = acceptsMultipart(request) ? 'application/json or multipart/form-data' : 'application/json';
  return invalidField('Content-Type', `The content type ${received} is not allowed; send ${allowed}.`);
};

/** Lets the app parse JSON bodies, and multipart bodies on the routes that accept them. Rejects all others. */
export const registerBodyParser = (app: FastifyInstance, transfers: Transfers): void => {
  const bodies = openBodyReader();
  const dependencies = { bodies, transfers };
  app.addHook('onClose', () => bodies.close());
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/json(\s*;.*)?$/i,
    async (request: FastifyRequest, payload: IncomingMessage) =>
      request.is404 ? null : parseBody(dependencies, request, payload, null),
  );
  app.addContentTypeParser(
    /^multipart\/form-data\s*(;.*)?$/i,
    async (request: FastifyRequest, payload: IncomingMessage) => {
      if (request.is404) return null;
      if (!acceptsMultipart(request)) throw unknownType(request);
      return parseBody(dependencies, request, payload, boundaryOf(request.headers['content-type']!));
    },
  );
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    if (request.is404) return null;
    throw unknownType(request);
  });
};

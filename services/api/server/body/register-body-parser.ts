import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { truncateForMessage, ApiError } from '#contracts/http/api-error.ts';
import { bytesPerMb, bytesToMb } from '#libs/sizes/sizes.ts';
import { planLimits } from '#application/accounts/queries.ts';
import { callerOf, needsBodyHash } from '../request.ts';
import { type JsonBodyReader, openJsonBodyReader } from './json-body-reader.ts';

const tooLarge = (maxMb: number, bytes: number): ApiError =>
  ApiError.of(
    'payload_too_large',
    `The request has at least ${bytesToMb(bytes)} MB; at most ${maxMb} MB are allowed.`,
    {
      max_size_mb: maxMb,
      received_size_mb: bytesToMb(bytes),
    },
  );

/**
 * Reads at most `maxMb` of a body. A request that announces or sends more is rejected without waiting for the rest.
 * @throws ApiError payload_too_large, or invalid_request if the caller disconnects
 */
const readBytes = async (request: IncomingMessage, maxMb: number): Promise<Buffer> => {
  const maxBytes = maxMb * bytesPerMb;
  const contentLength = Number(request.headers['content-length'] ?? 0);
  if (contentLength > maxBytes) throw tooLarge(maxMb, contentLength);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge(maxMb, size);
      chunks.push(chunk);
    }
  } catch (error) {
    throw request.errored
      ? ApiError.of('invalid_request', 'The connection ended before the body was complete.')
      : error;
  }
  return Buffer.concat(chunks, size);
};

const requireUncompressed = ({ headers }: FastifyRequest): void => {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return;
  const message = `The content encoding ${truncateForMessage(encoding)} is not allowed; send the body uncompressed.`;
  throw ApiError.of('invalid_request', message, { field: 'Content-Encoding' });
};

type Fields = Record<string, unknown>;

const parseBody = async (
  bodies: JsonBodyReader,
  request: FastifyRequest,
  payload: IncomingMessage,
): Promise<Fields | null> => {
  requireUncompressed(request);
  const { account } = callerOf(request);
  const bytes = await readBytes(payload, planLimits(account).maxPayloadMb);
  if (bytes.byteLength === 0) return null;
  const { fields, longTexts, sha256 } = await bodies.read(bytes, needsBodyHash(request), account.id);
  request.receivedBody = { longTexts, sha256 };
  return fields;
};

/** Lets the app parse JSON bodies and reject all others. */
export const registerBodyParser = (app: FastifyInstance): void => {
  const bodies = openJsonBodyReader();
  app.addHook('onClose', () => bodies.close());
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/json(\s*;.*)?$/i,
    async (request: FastifyRequest, payload: IncomingMessage) =>
      request.is404 ? null : parseBody(bodies, request, payload),
  );
  app.addContentTypeParser('*', async ({ is404, headers }: FastifyRequest) => {
    if (is404) return null;
    const message = `The content type ${headers['content-type'] ?? '(none)'} is not allowed; send application/json.`;
    throw ApiError.of('invalid_request', message, { field: 'Content-Type' });
  });
};

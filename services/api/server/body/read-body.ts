import type { IncomingMessage } from 'node:http';
import { Problem } from '#contracts/http/problem.ts';
import { bytesPerMb, inMb } from '#libs/sizes/sizes.ts';

const tooLarge = (maxMb: number, bytes: number): Problem =>
  Problem.of('payload_too_large', `The request has ${inMb(bytes)} MB or more; at most ${maxMb} MB are allowed.`, { max_size_mb: maxMb, received_size_mb: inMb(bytes) });

const brokenOff = (): Problem => Problem.of('invalid_request', 'The connection ended before the body was complete.');

/** Reads a request body, at most `maxMb` of it: whoever announces or sends more is refused without waiting for the rest. @throws Problem payload_too_large, or invalid_request where the caller hangs up */
export const readBody = async (request: IncomingMessage, maxMb: number): Promise<Buffer> => {
  const maxBytes = maxMb * bytesPerMb;
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) throw tooLarge(maxMb, announced);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge(maxMb, size);
      chunks.push(chunk);
    }
  } catch (error) {
    throw request.errored ? brokenOff() : error;
  }
  return Buffer.concat(chunks, size);
};

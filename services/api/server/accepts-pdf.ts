import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { ApiError } from '#contracts/http/api-error.ts';
import {
  outputContentTypes,
  type OutputContentType,
  pdfContentType,
  type ImageType,
  imageTypes,
  zipContentType,
} from '#contracts/http/output.ts';

const json = 'application/json';

/**
 * Whether the caller prefers one of these media types to JSON (RFC 9110, 12.5.1). If the header Accept is absent, equally
 * in favour of all by a wildcard, or excludes all, the response is JSON.
 */
export const prefersType = ({ headers }: Pick<FastifyRequest, 'headers'>, ...types: string[]): boolean => {
  const [preferred] = new Negotiator({ headers }).mediaTypes([json, ...types]);
  return preferred !== undefined && preferred !== json;
};

/** Whether the caller prefers the bytes of the PDF to JSON. */
export const prefersPdf = (request: Pick<FastifyRequest, 'headers'>): boolean => prefersType(request, pdfContentType);

const imageContentTypes = Object.values(imageTypes).map(({ contentType }) => contentType);

/**
 * Whether the caller prefers the bytes of what a render gives to JSON. A caller that accepts images also gets the ZIP
 * file of several, and one that accepts ZIP files a single image.
 */
export const prefersFile = (request: Pick<FastifyRequest, 'headers'>, contentType: OutputContentType): boolean => {
  if (contentType === pdfContentType) return prefersPdf(request);
  const images = contentType === zipContentType ? imageContentTypes : [contentType];
  return prefersType(request, zipContentType, ...images);
};

/**
 * Refuses a header Accept that excludes what the request makes and JSON, but not other kinds of output: the request
 * contradicts itself. Without any kind of output in the header, the response is JSON. @throws ApiError invalid_request
 */
export const requireAcceptedOutput = (
  { headers }: Pick<FastifyRequest, 'headers'>,
  output: 'pdf' | ImageType = 'pdf',
): void => {
  const own = output === 'pdf' ? [pdfContentType] : [imageTypes[output].contentType, zipContentType];
  const negotiator = new Negotiator({ headers });
  if (negotiator.mediaTypes([json, ...own]).length > 0) return;
  const [wanted] = negotiator.mediaTypes([...outputContentTypes]);
  if (wanted === undefined) return;
  const kind = Object.entries(imageTypes).find(([, { contentType }]) => contentType === wanted)?.[0];
  const other = kind ?? (wanted === pdfContentType ? 'pdf' : null);
  throw ApiError.of(
    'invalid_request',
    `The header Accept asks for ${wanted}, but the output of this request is ${output}. Send Accept: ${own.join(', ')}` +
      `${other === null ? '' : `, or output ${other}`}; for a JSON response Accept: ${json}.`,
    { field: 'Accept', ...(other === null ? {} : { example: { output: other } }) },
  );
};

import { ApiError, truncateForMessage } from '#contracts/http/api-error.ts';

/** RFC 2046, 5.1.1. */
const boundaryPattern = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;

/** The boundary in a multipart/form-data content type. @throws ApiError invalid_request */
export const boundaryOf = (contentType: string): string => {
  const match = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2] ?? '';
  if (boundaryPattern.test(boundary)) return boundary;
  throw ApiError.of(
    'invalid_request',
    boundary === ''
      ? 'The content type multipart/form-data has no boundary. Let your HTTP client set this header.'
      : `The boundary of the content type is not allowed: ${truncateForMessage(boundary)}`,
    { field: 'Content-Type' },
  );
};

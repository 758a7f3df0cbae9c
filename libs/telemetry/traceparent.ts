/** The log fields of a request: its id, and its trace id if it has one. */
export const requestLogFields = ({
  correlationId,
  traceparent,
}: {
  correlationId: string;
  traceparent: string | null;
}): { request_id: string; trace_id?: string } => {
  const traceId = traceIdOf(traceparent);
  return { request_id: correlationId, ...(traceId === null ? {} : { trace_id: traceId }) };
};

const traceparentPattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const laterTraceparentPattern = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(?:-.*)?$/;

/**
 * A `traceparent` header in version 00 of W3C Trace Context; null if it is missing or invalid. Later versions are
 * parsed as section 3.2.4 says.
 */
export const parseTraceparent = (header: string | readonly string[] | undefined): string | null => {
  if (typeof header !== 'string') return null;
  if (traceparentPattern.test(header)) return header;
  const later = header.startsWith('00') ? undefined : laterTraceparentPattern.exec(header)?.[1];
  return later === undefined ? null : `00-${later}`;
};

/** The trace id, 32 hexadecimal digits, within a `traceparent`. */
export const traceIdOf = (traceparent: string | null): string | null => traceparent?.split('-')[1] ?? null;

import { z } from 'zod';

/** Hop-by-hop headers, and headers that the service sets on each request that it makes. */
const reservedHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
  'content-type',
  'traceparent',
]);

export const maxHeaders = 20;
/** In characters. */
export const maxHeaderLength = { name: 128, value: 1024 } as const;
/** Jobs show masked values this way. A value or URL copied from a job must not be sent. */
export const mask = '***';
const tokenPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const valuePattern = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$|^$/;

/** Whether a text is a token, such as the name of a header (RFC 9110, 5.6.2). */
export const isHeaderToken = (text: string): boolean => tokenPattern.test(text);

/** Whether the service sets a further header itself. The name is in lower case. */
type IsReserved = (name: string) => boolean;

/** Why a header is not allowed; null if it is. */
const invalidHeaderReason = (name: string, value: string, isReserved: IsReserved): string | null => {
  const lower = name.toLowerCase();
  if (!isHeaderToken(name)) return "a header name has 1 to 128 letters, digits and !#$%&'*+-.^_`|~";
  if (reservedHeaders.has(lower) || isReserved(lower))
    return 'this header is set by the service or by HTTP and cannot be chosen';
  if (value.length > maxHeaderLength.value) return `a header value has at most ${maxHeaderLength.value} characters`;
  if (value.includes(mask))
    return 'a header value must not contain ***, which marks a masked value in jobs; send the original value';
  return valuePattern.test(value)
    ? null
    : 'a header value consists of visible ASCII characters, with spaces only between them';
};

/** Headers that a caller chooses for requests of the service. */
export const requestHeaders = (isReserved: IsReserved) =>
  z.record(z.string(), z.string()).superRefine((headers, context) => {
    const names = Object.keys(headers);
    if (names.length > maxHeaders)
      return context.addIssue({
        code: 'custom',
        message: `at most ${maxHeaders} headers are allowed; there are ${names.length}`,
      });
    if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
      context.addIssue({ code: 'custom', message: 'a header occurs twice; header names are case-insensitive' });
    for (const [name, value] of Object.entries(headers)) {
      const message = invalidHeaderReason(name, value, isReserved);
      if (message !== null) context.addIssue({ code: 'custom', path: [name], message });
    }
  });

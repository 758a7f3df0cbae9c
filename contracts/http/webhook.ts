import { z } from 'zod';

const isPlainHttps = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && url.protocol === 'https:' && url.username === '' && url.password === '' && url.hostname !== '';
};

/** Headers that say how a message is carried, or that the service itself sets. */
const reserved = new Set([
  'connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect',
  'host', 'content-length', 'content-type', 'x-service-signature', 'traceparent',
]);

const isAllowedName = (name: string): boolean => {
  const lower = name.toLowerCase();
  return !reserved.has(lower) && !lower.startsWith('webhook-');
};

const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, 'a header name consists of letters, digits and !#$%&\'*+-.^_`|~')
  .refine(isAllowedName, 'this header is set by the service or by HTTP itself and cannot be chosen');

const headerValue = z
  .string()
  .max(1024)
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$|^$/, 'a header value consists of visible ASCII characters and inner spaces');

const webhookUrl = z
  .string()
  .max(2048)
  .refine(isPlainHttps, 'must be an absolute https:// address without user name and password')
  .describe('An https address, at most 2048 characters. It makes the render asynchronous.');

const webhookHeaders = z
  .record(headerName, headerValue)
  .refine((headers) => Object.keys(headers).length <= 20, 'at most 20 headers are allowed')
  .refine((headers) => new Set(Object.keys(headers).map((name) => name.toLowerCase())).size === Object.keys(headers).length, 'a header is there twice; upper and lower case do not matter')
  .describe('At most 20 further headers of the callback; values up to 1024 visible ASCII characters.');

export const webhookMethods = ['POST', 'PUT'] as const;

/** The fields of a render request that ask for a callback (sections 4.1 and 6 of the API). */
export const webhookFields = {
  webhook_url: webhookUrl.optional(),
  webhook_method: z.enum(webhookMethods).optional().describe('POST unless given.'),
  webhook_headers: webhookHeaders.optional(),
} as const;

import { z } from 'zod';

const isPlainHttps = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && url.protocol === 'https:' && url.username === '' && url.password === '' && url.hostname !== '';
};

/** Hop-by-hop headers, and headers that the service sets. */
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
  'x-service-signature',
  'traceparent',
]);

export const maxWebhookUrlLength = 2048;
export const maxWebhookHeaders = 20;
/** In characters. */
export const maxWebhookHeaderLength = { name: 128, value: 1024 } as const;
/** Jobs show masked values this way. A header or URL copied from a job must not be sent. */
const mask = '***';
const tokenPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const valuePattern = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$|^$/;

/** Why a webhook header is not allowed; null if it is. */
const invalidHeaderReason = (name: string, value: string): string | null => {
  const lower = name.toLowerCase();
  if (!tokenPattern.test(name)) return "a header name has 1 to 128 letters, digits and !#$%&'*+-.^_`|~";
  if (reservedHeaders.has(lower) || lower.startsWith('webhook-'))
    return 'this header is set by the service or by HTTP and cannot be chosen';
  if (value.length > maxWebhookHeaderLength.value)
    return `a header value has at most ${maxWebhookHeaderLength.value} characters`;
  if (value.includes(mask))
    return 'a header value must not contain ***, which marks a masked value in jobs; send the original value';
  return valuePattern.test(value)
    ? null
    : 'a header value consists of visible ASCII characters, with spaces only between them';
};

const webhookUrl = z
  .string()
  .max(maxWebhookUrlLength)
  .refine(isPlainHttps, 'must be an absolute https:// URL without user name and password')
  .refine(
    (url) => !url.includes(mask),
    'must not contain ***, which marks a masked part in jobs; send the original URL',
  )
  .describe(
    'An https URL without user name and password, at most 2048 characters. It makes the render asynchronous. The ' +
      'URL is stored encrypted until the delivery has ended. Jobs and their history show scheme, host, plain words ' +
      'of the path, and names of the query; `***` replaces the rest. A fragment is not sent.',
  );

const webhookHeaders = z
  .record(z.string(), z.string())
  .superRefine((headers, context) => {
    const names = Object.keys(headers);
    if (names.length > maxWebhookHeaders)
      return context.addIssue({
        code: 'custom',
        message: `at most ${maxWebhookHeaders} headers are allowed; there are ${names.length}`,
      });
    if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
      context.addIssue({ code: 'custom', message: 'a header occurs twice; header names are case-insensitive' });
    for (const [name, value] of Object.entries(headers)) {
      const message = invalidHeaderReason(name, value);
      if (message !== null) context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .describe(
    `At most ${maxWebhookHeaders} additional headers of the callback, with values of at most 1024 visible ASCII ` +
      'characters. Headers that the service or HTTP sets cannot be chosen: `Content-Type`, `Content-Length`, ' +
      '`Host`, `X-Service-Signature`, `Webhook-*`, `Traceparent`, and hop-by-hop headers. The values are ' +
      'stored encrypted until the delivery has ended, then erased. The history of a job shows only the names.',
  );

export const webhookMethods = ['POST', 'PUT'] as const;

/** The webhook fields of a render request (sections 4.1 and 6 of the API). */
export const webhookFields = {
  webhook_url: webhookUrl.optional(),
  webhook_method: z.enum(webhookMethods).optional().describe('Default: POST.'),
  webhook_headers: webhookHeaders.optional(),
} as const;

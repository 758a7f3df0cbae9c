import { z } from 'zod';

const isPlainHttps = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && url.protocol === 'https:' && url.username === '' && url.password === '' && url.hostname !== '';
};

/** Headers that say how a message is carried, or that the service itself sets. */
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
/** Jobs show this in place of what is hidden. A header or address that was copied from a job would go out with it. */
const mask = '***';
const tokenPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const valuePattern = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$|^$/;

/** What is wrong with a header of a callback, as the end of a sentence; null where it may be sent. */
const invalidHeaderReason = (name: string, value: string): string | null => {
  const lower = name.toLowerCase();
  if (!tokenPattern.test(name)) return "a header name has 1 to 128 letters, digits and !#$%&'*+-.^_`|~";
  if (reservedHeaders.has(lower) || lower.startsWith('webhook-'))
    return 'this header is set by the service or by HTTP itself and cannot be chosen';
  if (value.length > maxWebhookHeaderLength.value)
    return `a header value has at most ${maxWebhookHeaderLength.value} characters`;
  if (value.includes(mask))
    return 'a header value must not contain ***, which stands for a hidden value in jobs; send the value itself';
  return valuePattern.test(value)
    ? null
    : 'a header value consists of visible ASCII characters, with spaces only between them';
};

const webhookUrl = z
  .string()
  .max(maxWebhookUrlLength)
  .refine(isPlainHttps, 'must be an absolute https:// address without user name and password')
  .refine(
    (url) => !url.includes(mask),
    'must not contain ***, which stands for a hidden part in jobs; send the whole address',
  )
  .describe(
    'An https address without user name and password, at most 2048 characters. It makes the render asynchronous. The address is kept sealed until the delivery has ended. Jobs and their history show scheme, host, plain words of the path, and names of the query; `***` stands for everything else. A fragment is not sent.',
  );

const webhookHeaders = z
  .record(z.string(), z.string())
  .superRefine((headers, context) => {
    const names = Object.keys(headers);
    if (names.length > maxWebhookHeaders)
      return context.addIssue({
        code: 'custom',
        message: `at most ${maxWebhookHeaders} headers are allowed, and ${names.length} are there`,
      });
    if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
      context.addIssue({ code: 'custom', message: 'a header is there twice; upper and lower case make no difference' });
    for (const [name, value] of Object.entries(headers)) {
      const message = invalidHeaderReason(name, value);
      if (message !== null) context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .describe(
    `At most ${maxWebhookHeaders} further headers of the callback, with values of at most 1024 visible ASCII characters. Headers that the service or HTTP itself sets cannot be chosen: \`Content-Type\`, \`Content-Length\`, \`Host\`, \`X-Service-Signature\`, \`Webhook-*\`, \`Traceparent\`, and those of the connection. The values are kept sealed until the delivery has ended, then erased; a job's history shows the names alone.`,
  );

export const webhookMethods = ['POST', 'PUT'] as const;

/** The fields of a render request that ask for a callback (sections 4.1 and 6 of the API). */
export const webhookFields = {
  webhook_url: webhookUrl.optional(),
  webhook_method: z.enum(webhookMethods).optional().describe('POST unless given.'),
  webhook_headers: webhookHeaders.optional(),
} as const;

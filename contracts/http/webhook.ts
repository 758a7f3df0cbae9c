import { z } from 'zod';
import { mask, maxHeaderLength, maxHeaders, requestHeaders } from './request-headers.ts';

const isPlainHttps = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && url.protocol === 'https:' && url.username === '' && url.password === '' && url.hostname !== '';
};

export const maxWebhookUrlLength = 2048;

const webhookUrl = z
  .string()
  .max(maxWebhookUrlLength)
  // URL parsers remove some white space, and would then call another URL than the one that is shown.
  .refine((url) => !/[\s\p{Cc}]/u.test(url), 'must not contain white space or control characters')
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

const webhookHeaders = requestHeaders(
  (name) => name.startsWith('x-service-signature') || name.startsWith('webhook-'),
).describe(
  `At most ${maxHeaders} additional headers of the callback, with values of at most ${maxHeaderLength.value} visible ` +
    'ASCII characters. Headers that the service or HTTP sets cannot be chosen: `Content-Type`, `Content-Length`, ' +
    '`Host`, `X-Service-Signature*`, `Webhook-*`, `Traceparent`, and hop-by-hop headers. The values are ' +
    'stored encrypted until the delivery has ended, then erased. The history of a job shows only the names.',
);

export const webhookMethods = ['POST', 'PUT'] as const;

/** The webhook fields of a render request. */
export const webhookFields = {
  webhook_url: webhookUrl.optional(),
  webhook_method: z.enum(webhookMethods).optional().describe('Default: POST.'),
  webhook_headers: webhookHeaders.optional(),
} as const;

/** 200 of GET /webhook-secret and POST /webhook-secret/rotate. */
export const webhookSecretResponse = z.object({
  secret: z.string().describe('The secret that signs the callbacks of the account, `whsec_...`. It has no end.'),
  created_at: z.string().describe('ISO 8601, UTC.'),
  previous: z
    .array(
      z.object({
        secret: z.string(),
        valid_until: z.string().describe('Until this ISO 8601 time callbacks are also signed with this secret.'),
      }),
    )
    .describe('The replaced secrets that still sign callbacks, the newest first.'),
});
export type WebhookSecretResponse = z.output<typeof webhookSecretResponse>;

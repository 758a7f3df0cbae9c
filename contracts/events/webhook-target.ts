import { z } from 'zod';
import { mask, maxHeaderLength, maxHeaders } from '../http/request-headers.ts';
import { maxWebhookUrlLength, webhookMethods } from '../http/webhook.ts';
import { blobRef } from './blob-ref.ts';
import { ascii, entries } from './bounded.ts';

/** The names of headers, with `***` in place of the values. */
export const maskedHeaders = entries(ascii(maxHeaderLength.name), ascii(mask.length), maxHeaders);

/**
 * The target of a webhook without its secrets: `***` replaces the header values and possible credentials in the URL.
 * `sealed` is the blob of the sealed box with the original URL and headers. It is erased when the delivery has ended,
 * and null if nothing is masked.
 */
export const webhookTarget = z.object({
  url: z.string().max(maxWebhookUrlLength),
  urlIsMasked: z.boolean(),
  method: z.enum(webhookMethods),
  headers: maskedHeaders,
  sealed: blobRef.nullable(),
});
export type WebhookTarget = z.output<typeof webhookTarget>;

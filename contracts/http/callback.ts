import { z } from 'zod';
import { outputContentTypes } from './output.ts';

const timestamp = z.string().describe('ISO 8601, UTC.');
const ids = {
  id: z.string().describe('render_<id>'),
  job_id: z.string().describe('job_<id>'),
  created_at: timestamp,
};

/** The body of the callback for a finished PDF. */
export const doneCallback = z.object({
  ...ids,
  status: z.literal('DONE'),
  pdf_url: z.string().describe('Link to the PDF, valid without a key until pdf_expires_at.'),
  pdf_expires_at: timestamp,
  content_type: z
    .enum(outputContentTypes)
    .optional()
    .describe('The media type of what pdf_url is the link to. Present if the output is images.'),
  thumbnail_url: z
    .string()
    .optional()
    .describe('Link to the image of the first page, valid as long as pdf_url. Present if the request has `thumbnail`.'),
  pages: z.number().int(),
  file_size_kb: z.number().describe('Size of the PDF in units of 1024 bytes, with two decimals.'),
  duration_ms: z.number().describe('From the acceptance of the request to the finished PDF.'),
  completed_at: timestamp,
  test: z
    .literal(true)
    .optional()
    .describe('Present in a test callback only, which was sent by POST /webhooks/test or the dashboard.'),
});
export type DoneCallback = z.output<typeof doneCallback>;

/** The body of the callback for a failed render. */
export const failedCallback = z.object({
  ...ids,
  status: z.literal('FAILED'),
  error: z.string().describe('The code of the error, as in the response to a synchronous render.'),
  message: z.string(),
  details: z.unknown().describe('Text, an object with the further fields of the error, or null.'),
  line: z.number().int().optional().describe('The line of the error in the input or template, from 1, if it has one.'),
  failed_at: timestamp,
});
export type FailedCallback = z.output<typeof failedCallback>;

/** The headers that every callback has, beside `webhook_headers`. */
export const callbackHeaders = z.object({
  'X-Service-Signature': z
    .string()
    .describe(
      'HMAC-SHA-256 of the exact bytes of the body, in hexadecimal digits. Its key is the webhook secret as text. For ' +
        '24 hours after a rotation of the secret, the key is the previous one: a receiver that has it still accepts ' +
        'the callback.',
    ),
  'X-Service-Signature-All': z
    .string()
    .describe(
      'The value of `X-Service-Signature` for each valid secret, separated by spaces, that of the newest secret first. ' +
        'There is more than one only after a rotation. A receiver that accepts any of them can change to the new ' +
        'secret at any time of the 24 hours.',
    ),
  'webhook-id': z
    .string()
    .describe('The id of the callback, `msg_...`. It is the same in every attempt and redelivery.'),
  'webhook-timestamp': z.string().describe('The time of the attempt in Unix seconds.'),
  'webhook-signature': z
    .string()
    .describe(
      'The signature of Standard Webhooks: `v1,` and the HMAC-SHA-256 of `<webhook-id>.<webhook-timestamp>.<body>` ' +
        'in base64. Its key is the part of the secret after `whsec_`, decoded from base64. After a rotation of the ' +
        'secret there is one signature for each valid secret, separated by spaces.',
    ),
});

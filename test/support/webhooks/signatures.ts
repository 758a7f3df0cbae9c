import { createHmac } from 'node:crypto';
import type { ReceivedWebhook } from './receivers.ts';

/** The signature of the API's own header: HMAC-SHA-256 of the body, in hex, keyed with the secret as text. */
export const serviceSignature = (secret: string, { bytes }: ReceivedWebhook): string =>
  createHmac('sha256', secret).update(bytes).digest('hex');

/** The signature of Standard Webhooks 1.0, without its version. */
export const standardSignature = (secret: string, { headers, bytes }: ReceivedWebhook): string =>
  createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${bytes.toString()}`)
    .digest('base64');

/** The signatures in the header of Standard Webhooks, in order, without their version. */
export const standardSignatures = ({ headers }: ReceivedWebhook): string[] =>
  String(headers['webhook-signature'])
    .split(' ')
    .map((one) => one.replace(/^v1,/, ''));

import { createHmac } from 'node:crypto';

const standardWebhooksKey = (secret: string): Buffer => Buffer.from(secret.slice('whsec_'.length), 'base64');

const standardWebhooksSignature = (secret: string, signed: Buffer): string =>
  `v1,${createHmac('sha256', standardWebhooksKey(secret)).update(signed).digest('base64')}`;

/**
 * The signature headers of a webhook. `X-Service-Signature` is the hex HMAC-SHA-256 of the body with the current secret
 * as key. The others follow Standard Webhooks 1.0, with one signature per valid secret.
 */
export const signatureHeaders = (
  id: string,
  body: Uint8Array,
  secrets: readonly [string, ...string[]],
  now: Date,
): Record<string, string> => {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  return {
    'x-service-signature': createHmac('sha256', secrets[0]).update(body).digest('hex'),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => standardWebhooksSignature(secret, signed)).join(' '),
  };
};

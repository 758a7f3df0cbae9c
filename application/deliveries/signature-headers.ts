import { createHmac } from 'node:crypto';

const standardWebhooksKey = (secret: string): Buffer => Buffer.from(secret.slice('whsec_'.length), 'base64');

const standardWebhooksSignature = (secret: string, signed: Buffer): string =>
  `v1,${createHmac('sha256', standardWebhooksKey(secret)).update(signed).digest('base64')}`;

/**
 * The signature headers of a webhook. `secrets` are all that are valid, the newest first. `X-Service-Signature` is the hex
 * HMAC-SHA-256 of the body with the oldest of them as key, so that a receiver with the secret from before a rotation
 * accepts the callback without a change. `X-Service-Signature-All` has the value for each secret. The others follow
 * Standard Webhooks 1.0, with one signature per secret.
 */
export const signatureHeaders = (
  id: string,
  body: Uint8Array,
  secrets: readonly [string, ...string[]],
  now: Date,
): Record<string, string> => {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const signatures = secrets.map((secret) => createHmac('sha256', secret).update(body).digest('hex'));
  return {
    'x-service-signature': signatures.at(-1)!,
    'x-service-signature-all': signatures.join(' '),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => standardWebhooksSignature(secret, signed)).join(' '),
  };
};

import { createHmac } from 'node:crypto';

const standardKey = (secret: string): Buffer => Buffer.from(secret.slice('whsec_'.length), 'base64');

const standardSignature = (secret: string, signed: Buffer): string => `v1,${createHmac('sha256', standardKey(secret)).update(signed).digest('base64')}`;

/**
 * The headers that prove where a callback comes from. `X-Service-Signature` is the HMAC-SHA-256 of the body in hex, keyed with the
 * present secret as it is written; the others follow Standard Webhooks 1.0, with one signature for each secret in force.
 */
export const signatureHeaders = (id: string, body: Uint8Array, secrets: readonly [string, ...string[]], now: Date): Record<string, string> => {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  return {
    'x-service-signature': createHmac('sha256', secrets[0]).update(body).digest('hex'),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => standardSignature(secret, signed)).join(' '),
  };
};

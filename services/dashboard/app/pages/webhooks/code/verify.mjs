import { createHmac, timingSafeEqual } from 'node:crypto';

const same = (a, b) => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

/** `body` is a Buffer with the raw bytes; `headers` has lower-case names, as in Node. */
export const isFromColophon = (body, headers, secret) => {
  const expected = createHmac('sha256', secret).update(body).digest('hex');
  return String(headers['x-service-signature-all'])
    .split(' ')
    .some((signature) => same(signature, expected));
};

/** The same with Standard Webhooks, which also rejects callbacks older than five minutes. */
export const isFreshFromColophon = (body, headers, secret, now = Date.now()) => {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (!id || !signatures || !(Math.abs(now / 1000 - Number(timestamp)) <= 300)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return signatures.split(' ').some((signature) => same(signature, `v1,${expected}`));
};

import { deriveKey, type ServiceSecret } from './service-secret.ts';

/** For so long after a rotation the former secret signs too. */
export const overlapMs = 24 * 60 * 60 * 1000;

const secretOf = (secret: ServiceSecret, accountId: string, generation: number): string =>
  `whsec_${deriveKey(secret, `webhook/${accountId}/${generation}`).toString('base64')}`;

/** An account's webhook secrets in the form of Standard Webhooks, the present one first; a former one follows for a day after a rotation. */
export const webhookSecrets = (
  secret: ServiceSecret,
  account: { id: string; webhookSecret: { generation: number; rotatedAt: string | null } },
  now: Date,
): [string, ...string[]] => {
  const { generation, rotatedAt } = account.webhookSecret;
  const present = secretOf(secret, account.id, generation);
  const overlaps = rotatedAt !== null && now.getTime() < Date.parse(rotatedAt) + overlapMs;
  return overlaps ? [present, secretOf(secret, account.id, generation - 1)] : [present];
};

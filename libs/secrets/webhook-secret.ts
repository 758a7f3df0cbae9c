import { deriveKey, type ServiceSecret, type ServiceSecrets } from './service-secret.ts';

/** For so long after a rotation the former secret signs too. */
export const overlapMs = 24 * 60 * 60 * 1000;

const secretOf = (secret: ServiceSecret, accountId: string, generation: number): string =>
  `whsec_${deriveKey(secret, `webhook/${accountId}/${generation}`).toString('base64')}`;

/**
 * An account's webhook secrets in the form of Standard Webhooks, the present one first. A former one follows for a day after the account's rotation,
 * and those that come from former secrets of the installation as long as these are configured.
 */
export const webhookSecrets = (
  { current, previous }: ServiceSecrets,
  account: { id: string; webhookSecret: { generation: number; rotatedAt: string | null } },
  now: Date,
): [string, ...string[]] => {
  const { generation, rotatedAt } = account.webhookSecret;
  const overlaps = rotatedAt !== null && now.getTime() < Date.parse(rotatedAt) + overlapMs;
  const inForce = overlaps ? [generation, generation - 1] : [generation];
  const [present, ...former] = [current, ...previous].flatMap((secret) => inForce.map((one) => secretOf(secret, account.id, one)));
  return [present!, ...former];
};

import { deriveKey, type InstallationSecret, type InstallationSecrets } from './installation-secret.ts';

/** For so long after a rotation the former secret signs too. */
export const rotationOverlapMs = 24 * 60 * 60 * 1000;

const deriveWebhookSecret = (secret: InstallationSecret, accountId: string, generation: number): string =>
  `whsec_${deriveKey(secret, `webhook/${accountId}/${generation}`).toString('base64')}`;

/**
 * An account's webhook secrets in the form of Standard Webhooks, the present one first. A former one follows for a day after the account's rotation,
 * and those that come from former secrets of the installation as long as these are configured.
 */
export const webhookSecrets = (
  { current, previous }: InstallationSecrets,
  account: { id: string; webhookSecret: { generation: number; rotatedAt: string | null } },
  now: Date,
): [string, ...string[]] => {
  const { generation, rotatedAt } = account.webhookSecret;
  const overlaps = rotatedAt !== null && now.getTime() < Date.parse(rotatedAt) + rotationOverlapMs;
  const inForce = overlaps ? [generation, generation - 1] : [generation];
  const [present, ...former] = [current, ...previous].flatMap((secret) =>
    inForce.map((one) => deriveWebhookSecret(secret, account.id, one)),
  );
  return [present!, ...former];
};

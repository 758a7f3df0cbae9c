import { deriveKey, type InstallationSecret, type InstallationSecrets } from './installation-secret.ts';

/** How long the previous secret also signs after a rotation. */
export const rotationOverlapMs = 24 * 60 * 60 * 1000;

const deriveWebhookSecret = (secret: InstallationSecret, accountId: string, generation: number): string =>
  `whsec_${deriveKey(secret, `webhook/${accountId}/${generation}`).toString('base64')}`;

/**
 * An account's webhook secrets in the format of Standard Webhooks, the current one first. Then the previous generation, for a
 * day after a rotation, and the secrets derived from previous installation secrets that are configured.
 */
export const webhookSecrets = (
  { current, previous }: InstallationSecrets,
  account: { id: string; webhookSecret: { generation: number; rotatedAt: string | null } },
  now: Date,
): [string, ...string[]] => {
  const { generation, rotatedAt } = account.webhookSecret;
  const overlaps = rotatedAt !== null && now.getTime() < Date.parse(rotatedAt) + rotationOverlapMs;
  const generations = overlaps ? [generation, generation - 1] : [generation];
  const [currentSecret, ...otherSecrets] = [current, ...previous].flatMap((secret) =>
    generations.map((number) => deriveWebhookSecret(secret, account.id, number)),
  );
  return [currentSecret!, ...otherSecrets];
};

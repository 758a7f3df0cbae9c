import { validPreviousSecrets, type WebhookSecretGenerations } from '#libs/domain/account.ts';
import { deriveKey, type InstallationSecret, type InstallationSecrets } from './installation-secret.ts';

/** An account's webhook secret, and the previous ones that are still valid, the newest first. */
export type WebhookSecrets = { secret: string; previous: { secret: string; validUntil: string }[] };

const deriveWebhookSecret = (secret: InstallationSecret, accountId: string, generation: number): string =>
  `whsec_${deriveKey(secret, `webhook/${accountId}/${generation}`).toString('base64')}`;

/** An account's webhook secrets in the format of Standard Webhooks, as the account sees them. */
export const webhookSecrets = (
  { current }: Pick<InstallationSecrets, 'current'>,
  accountId: string,
  generations: WebhookSecretGenerations,
  now: Date,
): WebhookSecrets => ({
  secret: deriveWebhookSecret(current, accountId, generations.generation),
  previous: validPreviousSecrets(generations, now).map(({ generation, validUntil }) => ({
    secret: deriveWebhookSecret(current, accountId, generation),
    validUntil,
  })),
});

/**
 * The secrets that sign an account's callbacks, the newest first: the present one, the previous ones that are still valid,
 * then those derived from previous installation secrets that are configured.
 */
export const signingSecrets = (
  { current, previous }: InstallationSecrets,
  account: { id: string; webhookSecret: WebhookSecretGenerations },
  now: Date,
): [string, ...string[]] => {
  const [newest, ...others] = [current, ...previous].flatMap((installationSecret) => {
    const secrets = webhookSecrets({ current: installationSecret }, account.id, account.webhookSecret, now);
    return [secrets.secret, ...secrets.previous.map(({ secret }) => secret)];
  });
  return [newest!, ...others];
};

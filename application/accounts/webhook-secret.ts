import type { Cause, EventLog } from '#application/command-handling/aggregate.ts';
import type { ReadYourWrites } from '#application/command-handling/read-your-writes.ts';
import { type ApiError, rateLimitExceeded } from '#contracts/http/api-error.ts';
import type { WebhookSecretResponse } from '#contracts/http/webhook.ts';
import { readModels } from '#contracts/names.ts';
import { maxPreviousSecrets, TooManyWebhookSecretsError } from '#libs/domain/account.ts';
import type { AccountDocument } from '#libs/projections/accounts.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import type { InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import { webhookSecrets } from '#libs/secrets/webhook-secret.ts';
import { changeAccount } from './commands.ts';

type WebhookSecretDependencies = {
  eventLog: EventLog;
  reads: Pick<ReadStore, 'get'>;
  readYourWrites: ReadYourWrites;
  secrets: InstallationSecrets;
};

/** The secrets of an account as the API and the command line show them. */
export const webhookSecretView = (
  secrets: InstallationSecrets,
  { id, webhookSecret }: Pick<AccountDocument, 'id' | 'webhookSecret'>,
  now: Date,
): WebhookSecretResponse => {
  const { secret, previous } = webhookSecrets(secrets, id, webhookSecret, now);
  return {
    secret,
    created_at: webhookSecret.createdAt,
    previous: previous.map(({ secret: replaced, validUntil }) => ({ secret: replaced, valid_until: validUntil })),
  };
};

/** The webhook secrets of an account, after its own last rotation. */
export const readWebhookSecret = async (
  { eventLog, reads, readYourWrites, secrets }: WebhookSecretDependencies,
  { id }: AccountDocument,
): Promise<WebhookSecretResponse> => {
  await readYourWrites.waitForWrites(id, readModels.accounts);
  // The account of the caller may come from a cache.
  return webhookSecretView(secrets, (await reads.get(readModels.accounts, id)) as AccountDocument, eventLog.now());
};

const tooManySecrets = (until: string, now: Date): ApiError => {
  const message =
    `${maxPreviousSecrets} previous webhook secrets are still valid, and each stays valid for 24 hours. ` +
    `Rotate again after ${until}.`;
  return rateLimitExceeded(message, maxPreviousSecrets, new Date(until), now);
};

/**
 * Gives an account a new webhook secret. Returns what the read model will have at `position`.
 * @throws ApiError rate_limit_exceeded if too many previous ones are valid
 */
export const rotateWebhookSecret = async (
  eventLog: EventLog,
  accountId: string,
  cause: Cause,
): Promise<{ position: number; webhookSecret: AccountDocument['webhookSecret'] }> => {
  try {
    const rotate = (now: Date) => ({ type: 'rotateWebhookSecret', now }) as const;
    const { state, position, at } = await changeAccount(eventLog, accountId, rotate, cause);
    if (state.status === 'NONE') throw new Error(`account ${accountId} has no events`);
    return { position: position!, webhookSecret: { ...state.webhookSecret, createdAt: at! } };
  } catch (error) {
    throw error instanceof TooManyWebhookSecretsError ? tooManySecrets(error.until, eventLog.now()) : error;
  }
};

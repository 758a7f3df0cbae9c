import { z } from 'zod';

const timestamp = z.string().describe('ISO 8601, UTC.');

/** 200 of GET /webhook-secret and POST /webhook-secret/rotate. */
export const webhookSecretResponse = z.object({
  secret: z.string().describe('The secret that signs the callbacks of the account, `whsec_...`. It has no end.'),
  created_at: timestamp,
  previous: z
    .array(
      z.object({
        secret: z.string(),
        valid_until: z.string().describe('Until this ISO 8601 time callbacks are also signed with this secret.'),
      }),
    )
    .describe('The replaced secrets that still sign callbacks, the newest first.'),
});
export type WebhookSecretResponse = z.output<typeof webhookSecretResponse>;

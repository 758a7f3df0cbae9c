import { webhookSecretResponse } from '#contracts/http/webhook.ts';
import { readModels } from '#contracts/names.ts';
import { readWebhookSecret, rotateWebhookSecret, webhookSecretView } from '#application/accounts/webhook-secret.ts';
import { nameSchema, route, type Route, ok } from '../server/route.ts';

const webhookSecret = nameSchema('WebhookSecret', webhookSecretResponse);
const notStored = { 'Cache-Control': '`no-store`: the secret must not be kept by a browser or a proxy.' };

/** The secret that signs the callbacks of an account. */
export const webhookSecretRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/webhook-secret',
    operationId: 'getWebhookSecret',
    tag: 'Webhooks',
    summary: 'Read the webhook secret',
    description:
      'Returns the secret with which receivers verify callbacks, and the replaced ones that are still valid, with the ' +
      'time of their end. No event and no log contains it: it is derived from the secret of the installation.',
    permission: 'webhook_secret:read',
    responses: [ok('The secret.', webhookSecret, { headers: notStored })],
    handle: async ({ account, reply }, dependencies) => {
      void reply.header('cache-control', 'no-store');
      return readWebhookSecret(dependencies, account);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/webhook-secret/rotate',
    operationId: 'rotateWebhookSecret',
    tag: 'Webhooks',
    summary: 'Replace the webhook secret',
    description:
      'Gives the account a new secret. The old one stays valid for 24 hours: until then `webhook-signature` and ' +
      '`X-Service-Signature-All` have a signature with each, and `X-Service-Signature` has that of the old one, so that ' +
      'a receiver with either secret accepts every callback. A second rotation shortens nothing. After four rotations ' +
      'within 24 hours the response is 429 `rate_limit_exceeded`.',
    permission: 'webhook_secret:write',
    responses: [ok('The new secret.', webhookSecret, { headers: notStored })],
    handle: async ({ account: { id }, cause, reply }, { eventLog, readYourWrites, secrets }) => {
      const { position, webhookSecret } = await rotateWebhookSecret(eventLog, id, cause);
      readYourWrites.recordWrite(id, position, readModels.accounts);
      void reply.header('cache-control', 'no-store');
      // Not from the read model: it may be late, and a caller who repeats a failed request rotates twice.
      return webhookSecretView(secrets, { id, webhookSecret }, eventLog.now());
    },
  }),
];

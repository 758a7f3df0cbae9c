import type { FastifyReply } from 'fastify';
import { ApiError, invalidField } from '#contracts/http/api-error.ts';
import {
  createKeyRequest,
  createdKeyResponse,
  type CreateKeyRequest,
  maxKeysPerAccount,
} from '#contracts/http/keys.ts';
import { apiKeyIdOf, readModels, streams } from '#contracts/names.ts';
import { type IssuedKey, issueKey } from '#application/api-keys/commands.ts';
import { hasManyKeys } from '#application/api-keys/queries.ts';
import { type ApiKeyDocument, issuedKey } from '#libs/projections/api-keys.ts';
import { requirePermission } from '../server/authenticate.ts';
import type { CallerContext } from '../server/context.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { type IdempotencyOptions, nameSchema, route, type Route, created } from '../server/route.ts';
import { keyResponses } from './key-view.ts';

const grantHint = ' A new key cannot have more than its creator: name its permissions in the field permissions.';

/** Callers cannot give what they do not have. @throws ApiError */
const requireGrantable = (context: CallerContext<CreateKeyRequest>, now: Date): void => {
  const { body, actor, keyType } = context;
  for (const permission of body.permissions) requirePermission(context, permission, grantHint);
  if (actor.kind === 'key' && keyType === 'test' && body.type === 'live')
    throw invalidField('type', 'type must be test: a test key can create only test keys.');
  if (body.expires_at !== null && Date.parse(body.expires_at) <= now.getTime())
    throw invalidField('expires_at', 'expires_at must be in the future.');
};

const create = async (context: CallerContext<CreateKeyRequest>, dependencies: Dependencies): Promise<IssuedKey> => {
  const { id, account, body, actor, cause } = context;
  const { eventLog, reads, readYourWrites, keyCreationQueue } = dependencies;
  const now = eventLog.now();
  requireGrantable(context, now);
  return keyCreationQueue(account.id, async () => {
    await readYourWrites.waitForWrites(account.id, readModels.apiKeys);
    if (await hasManyKeys(reads, account.id, maxKeysPerAccount, now))
      throw ApiError.of(
        'key_limit_exceeded',
        `The account has ${maxKeysPerAccount} API keys in use. Revoke keys that are no longer needed.`,
        { limit: maxKeysPerAccount },
      );
    const request = {
      accountId: account.id,
      name: body.name,
      keyType: body.type,
      permissions: body.permissions,
      expiresAt: body.expires_at === null ? null : new Date(body.expires_at).toISOString(),
    };
    const issued = await issueKey(eventLog, actor, request, { id, cause });
    readYourWrites.recordWrite(account.id, issued.position, readModels.apiKeys);
    // The secret must be shown even if the read model is late.
    await readYourWrites.waitForWrites(account.id, readModels.apiKeys).catch(() => undefined);
    return issued;
  });
};

const sendCreated = async (
  { reply, limits }: Pick<CallerContext, 'reply' | 'limits'>,
  { reads, eventLog }: Dependencies,
  document: ApiKeyDocument,
  secret: string | null,
): Promise<FastifyReply> => {
  const [view] = await keyResponses(reads, [document], limits, eventLog.now());
  return reply
    .status(201)
    .header('location', `/api/v1/keys/${apiKeyIdOf(document.id)}`)
    .header('cache-control', 'no-store')
    .send({ ...view!, key: secret });
};

const idempotency: IdempotencyOptions = {
  streamOf: streams.apiKey,
  replay: async (context, dependencies) => {
    const [issued] = await dependencies.eventLog.store.read(streams.apiKey(context.id));
    if (issued?.type !== 'ApiKeyIssued') return null;
    return sendCreated(context, dependencies, issuedKey(context.id, issued.data, issued.metadata), null);
  },
};

const description = `Creates an API key and shows it, once: the service stores only a hash of it. Copy it from the \
response, which has the header \`Cache-Control: no-store\`.

You can give a key at most the permissions that you have yourself, and a test key can create only test keys. An account \
can have ${maxKeysPerAccount} keys in use; revoked and expired keys do not count.

A request that is repeated with the same \`Idempotency-Key\` creates no second key. Its response is the first one with \
\`key: null\`, because the key itself is not kept. If the first response was lost, revoke the key and create another.`;

export const createKeyRoute: Route = route({
  method: 'POST',
  path: '/api/v1/keys',
  operationId: 'createKey',
  tag: 'Account',
  summary: 'Create an API key',
  description,
  permission: 'keys:write',
  idempotency,
  request: {
    body: nameSchema('CreateKey', createKeyRequest),
    examples: {
      shop: { summary: 'A live key for a web shop', value: { name: 'web shop', type: 'live' } },
      temporary: {
        summary: 'A temporary key that can only render',
        value: { name: 'trial', type: 'test', permissions: ['render:create'], expires_at: '2099-03-01T00:00:00Z' },
      },
    },
  },
  responses: [
    created('The key, shown only now.', nameSchema('CreatedKey', createdKeyResponse), {
      Location: 'The path of the key.',
      'Cache-Control': 'Always `no-store`.',
    }),
  ],
  errors: ['key_limit_exceeded'],
  handle: async (context, dependencies) => {
    const { document, secret } = await create(context, dependencies);
    return sendCreated(context, dependencies, document, secret);
  },
});

import { z } from 'zod';
import { ApiError } from '#contracts/http/api-error.ts';
import { keyListResponse, keyResponse, listKeysQuery, readKeyQuery, revokeKeyQuery } from '#contracts/http/keys.ts';
import { apiKeyIdOf, bareId, readModels } from '#contracts/names.ts';
import { revokeKey } from '#application/api-keys/commands.ts';
import { findKey, findKeyPage } from '#application/api-keys/queries.ts';
import type { ApiKeyDocument } from '#libs/projections/api-keys.ts';
import { waitUntilCallersSee } from '../server/changed-callers.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { nameSchema, route, type Route, ok } from '../server/route.ts';
import { createKeyRoute } from './create-route.ts';
import { keyResponses } from './key-view.ts';

const params = z.object({ id: z.string().describe('key_<id>') });

/** @throws ApiError key_not_found */
const requireKey = async (
  { reads, readYourWrites }: Dependencies,
  accountId: string,
  id: string,
): Promise<ApiKeyDocument> => {
  await readYourWrites.waitForWrites(accountId, readModels.apiKeys);
  const key = await findKey(reads, id);
  if (key?.accountId !== accountId) throw ApiError.of('key_not_found', 'The account has no such API key.');
  return key;
};

const describedKey = nameSchema('Key', keyResponse);

const revokedButNotEverywhere = (): ApiError =>
  ApiError.of(
    'service_unavailable',
    'The key is revoked, but a process of the service may still accept it. Send the request again to make sure.',
    { retry_after: 1 },
  );

export const keyRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/keys',
    operationId: 'listKeys',
    tag: 'Account',
    summary: 'List API keys',
    description:
      'Lists the API keys of the account, newest first, with their usage in a month. A page can have fewer keys than ' +
      '`limit` although `next_cursor` is not null.',
    permission: 'keys:read',
    request: { query: listKeysQuery },
    responses: [ok('One page of keys.', nameSchema('KeyList', keyListResponse))],
    handle: async ({ account, limits, query: { period, cursor, ...filter } }, { reads, readYourWrites, eventLog }) => {
      await readYourWrites.waitForWrites(account.id, readModels.apiKeys);
      const now = eventLog.now();
      const before = cursor && bareId('key', cursor);
      const { keys, next } = await findKeyPage(reads, account.id, { ...filter, before }, now);
      return {
        keys: await keyResponses(reads, keys, limits, now, period),
        next_cursor: next === null ? null : apiKeyIdOf(next),
      };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/keys/{id}',
    operationId: 'getKey',
    tag: 'Account',
    summary: 'Read an API key',
    description: 'Returns a key of the account, without its secret. Keys of other accounts give the same 404.',
    permission: 'keys:read',
    request: { params, query: readKeyQuery },
    responses: [ok('The key.', describedKey)],
    errors: ['key_not_found'],
    handle: async ({ account, limits, params: { id }, query: { period } }, dependencies) => {
      const key = await requireKey(dependencies, account.id, id);
      const [view] = await keyResponses(dependencies.reads, [key], limits, dependencies.eventLog.now(), period);
      return view!;
    },
  }),
  createKeyRoute,
  route({
    method: 'DELETE',
    path: '/api/v1/keys/{id}',
    operationId: 'revokeKey',
    tag: 'Account',
    summary: 'Revoke an API key',
    description:
      'Revokes a key immediately and for good. When the response arrives, every process of the service rejects the ' +
      'key. A key that is already revoked stays as it is. You can revoke the key that you send the request with.',
    permission: 'keys:write',
    request: { params, query: revokeKeyQuery },
    responses: [ok('The revoked key.', describedKey)],
    errors: ['key_not_found'],
    handle: async ({ account, limits, params: { id }, query: { reason = null }, cause }, dependencies) => {
      const { eventLog, reads } = dependencies;
      const key = await requireKey(dependencies, account.id, id);
      const { position } = await revokeKey(eventLog, key.id, reason, cause);
      await waitUntilCallersSee(dependencies, account.id, position, readModels.apiKeys).catch((): never => {
        throw revokedButNotEverywhere();
      });
      const revoked = await requireKey(dependencies, account.id, id);
      const [view] = await keyResponses(reads, [revoked], limits, eventLog.now());
      return view!;
    },
  }),
];

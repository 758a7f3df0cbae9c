import type { Permission } from '#contracts/events/account.ts';
import type { Actor } from '#contracts/events/metadata.ts';
import { streams } from '#contracts/names.ts';
import { apiKey } from '#libs/domain/api-key.ts';
import {
  type Cause,
  newAggregate,
  newCause,
  loadAggregate,
  type EventLog,
} from '#application/command-handling/aggregate.ts';
import { type ApiKeyDocument, issuedKey } from '#libs/projections/api-keys.ts';
import { hashSecret, newSecret, visiblePrefix } from './secret.ts';
import { newId } from '#libs/ids/ulids.ts';

export type IssueKeyRequest = {
  accountId: string;
  name: string;
  keyType: 'live' | 'test';
  permissions: readonly Permission[];
  expiresAt: string | null;
};

export type IssuedKey = { id: string; secret: string; prefix: string; document: ApiKeyDocument; position: number };

/** Issues an API key, with this bare id and cause if they are given. The secret is returned and not stored. */
export const issueKey = async (
  eventLog: EventLog,
  actor: Actor,
  request: IssueKeyRequest,
  { id, cause }: { id: string; cause: Cause } = { id: newId(), cause: newCause(actor, request.accountId) },
): Promise<IssuedKey> => {
  const secret = newSecret(request.keyType);
  const prefix = visiblePrefix(secret);
  const data = { ...request, permissions: [...request.permissions], hash: hashSecret(secret), prefix };
  const { position, at } = await newAggregate(eventLog, apiKey, streams.apiKey(id)).execute(
    { type: 'issue', data },
    cause,
  );
  return { id, secret, prefix, document: issuedKey(id, data, { actor, occurredAt: at! }), position: position! };
};

/**
 * Revokes a key of the cause's account, by bare id. `changed` is false if it was already revoked. `position` is that of
 * the revocation.
 */
export const revokeKey = async (
  eventLog: EventLog,
  id: string,
  reason: string | null,
  cause: Cause,
): Promise<{ changed: boolean; position: number }> => {
  const stream = streams.apiKey(id);
  const { aggregate } = await loadAggregate(eventLog, apiKey, stream);
  const { position } = await aggregate.execute({ type: 'revoke', reason }, cause);
  if (position !== null) return { changed: true, position };
  return { changed: false, position: (await eventLog.store.read(stream)).at(-1)?.position ?? 0 };
};

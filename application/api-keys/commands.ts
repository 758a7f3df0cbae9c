import type { Permission } from '#contracts/events/account.ts';
import type { Actor } from '#contracts/events/metadata.ts';
import { streams } from '#contracts/names.ts';
import { apiKey } from '#libs/domain/api-key.ts';
import { newAggregate, newCause, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import { hashSecret, newSecret, visiblePrefix } from './secret.ts';
import { newId } from '#libs/ids/ulids.ts';

export type IssueKeyRequest = {
  accountId: string;
  name: string;
  keyType: 'live' | 'test';
  permissions: readonly Permission[];
  expiresAt: string | null;
};

/** Issues an API key. The secret is returned and not stored. */
export const issueKey = async (
  eventLog: EventLog,
  actor: Actor,
  request: IssueKeyRequest,
): Promise<{ id: string; secret: string; prefix: string }> => {
  const id = newId();
  const secret = newSecret(request.keyType);
  const prefix = visiblePrefix(secret);
  const data = { ...request, permissions: [...request.permissions], hash: hashSecret(secret), prefix };
  await newAggregate(eventLog, apiKey, streams.apiKey(id)).execute(
    { type: 'issue', data },
    newCause(actor, request.accountId),
  );
  return { id, secret, prefix };
};

/** Revokes a key, by bare ids. False if it was already revoked. */
export const revokeKey = async (
  eventLog: EventLog,
  actor: Actor,
  { id, accountId }: { id: string; accountId: string },
  reason: string | null,
): Promise<boolean> => {
  const { aggregate } = await loadAggregate(eventLog, apiKey, streams.apiKey(id));
  const { events } = await aggregate.execute({ type: 'revoke', reason }, newCause(actor, accountId));
  return events.length > 0;
};

import type { Permission } from '#contracts/events/account.ts';
import type { Actor } from '#contracts/events/metadata.ts';
import { streams } from '#contracts/names.ts';
import { apiKey } from '#libs/domain/api-key.ts';
import { begin, causeOf, load, type Log } from '#application/handling/handle.ts';
import { hashOf, newSecret, shownPrefix } from './secret.ts';
import { newId } from '#libs/ids/new-id.ts';

export type KeyWish = { accountId: string; name: string; keyType: 'live' | 'test'; permissions: readonly Permission[]; expiresAt: string | null };

/** Issues an API key; the secret is in the answer and nowhere else. */
export const issueKey = async (log: Log, actor: Actor, wish: KeyWish): Promise<{ id: string; secret: string; prefix: string }> => {
  const id = newId();
  const secret = newSecret(wish.keyType);
  const prefix = shownPrefix(secret);
  const data = { ...wish, permissions: [...wish.permissions], hash: hashOf(secret), prefix };
  await begin(log, apiKey, streams.apiKey(id)).execute({ type: 'issue', data }, causeOf(actor, wish.accountId));
  return { id, secret, prefix };
};

/** Revokes a key of an account, both by their bare ids. False where it was revoked before. */
export const revokeKey = async (log: Log, actor: Actor, { id, accountId }: { id: string; accountId: string }, reason: string | null): Promise<boolean> => {
  const { aggregate } = await load(log, apiKey, streams.apiKey(id));
  const { events } = await aggregate.execute({ type: 'revoke', reason }, causeOf(actor, accountId));
  return events.length > 0;
};

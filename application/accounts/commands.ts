import type { Actor } from '#contracts/events/metadata.ts';
import { streams } from '#contracts/names.ts';
import type { LimitOverrides, PlanName } from '#contracts/plans.ts';
import { account } from '#libs/domain/account.ts';
import { begin, type Cause, type Log } from '#application/handling/handle.ts';
import { newId } from '#libs/ids/new-id.ts';

/** A command that begins a story of its own, for an account by its bare id. */
export const causeOf = (actor: Actor, accountId: string): Cause => ({ actor, accountId, correlationId: newId(), causationId: null, traceparent: null });

/** Opens an account; answers with its bare id. */
export const openAccount = async (log: Log, actor: Actor, opening: { name: string; plan: PlanName; overrides: LimitOverrides }): Promise<string> => {
  const id = newId();
  await begin(log, account, streams.account(id)).execute({ type: 'open', ...opening }, causeOf(actor, id));
  return id;
};

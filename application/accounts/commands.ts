import { newAggregate, newCause, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import type { Actor } from '#contracts/events/metadata.ts';
import { streams } from '#contracts/names.ts';
import type { LimitOverrides, PlanName } from '#contracts/plans.ts';
import { account, type AccountCommand, type AccountState } from '#libs/domain/account.ts';
import { newId } from '#libs/ids/ulids.ts';

/** Opens an account. Returns its bare id. */
export const openAccount = async (
  eventLog: EventLog,
  actor: Actor,
  opening: { name: string; plan: PlanName; overrides: LimitOverrides },
): Promise<string> => {
  const id = newId();
  await newAggregate(eventLog, account, streams.account(id)).execute({ type: 'open', ...opening }, newCause(actor, id));
  return id;
};

export type AccountChange = Exclude<AccountCommand, { type: 'open' }>;

/**
 * Executes a command on an account, by bare id. `changed` is false if it had no effect. The state is NONE if the
 * account does not exist.
 */
export const changeAccount = async (
  eventLog: EventLog,
  actor: Actor,
  accountId: string,
  change: AccountChange,
): Promise<{ changed: boolean; state: AccountState }> => {
  const { aggregate } = await loadAggregate(eventLog, account, streams.account(accountId));
  const { events } = await aggregate.execute(change, newCause(actor, accountId));
  return { changed: events.length > 0, state: aggregate.state };
};

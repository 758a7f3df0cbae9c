import { newAggregate, newCause, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import type { Actor } from '#contracts/events/metadata.ts';
import { streams } from '#contracts/names.ts';
import type { LimitOverrides, PlanName } from '#contracts/plans.ts';
import { account, type AccountCommand, type AccountState } from '#libs/domain/account.ts';
import { newId } from '#libs/ids/ulids.ts';

/** Opens an account; answers with its bare id. */
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

/** Does something to an account, by its bare id. `changed` is false where it was that way already; the state of an account that was never opened is NONE. */
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

import { type Cause, newAggregate, newCause, type EventLog } from '#application/command-handling/aggregate.ts';
import { createExecuteInTurn } from '#application/command-handling/execute-in-turn.ts';
import type { Actor } from '#contracts/events/metadata.ts';
import { streams } from '#contracts/names.ts';
import type { LimitOverrides, PlanName } from '#contracts/plans.ts';
import { account, type AccountCommand, type AccountState } from '#libs/domain/account.ts';
import { type AccountDocument, openedAccount } from '#libs/projections/accounts.ts';
import { newId } from '#libs/ids/ulids.ts';

type Opening = { name: string; plan: PlanName; overrides: LimitOverrides };

/** Opens an account. Returns its document and the position of the event. `causeOf` gets the bare id. */
export const openAccountAs = async (
  eventLog: EventLog,
  opening: Opening,
  causeOf: (id: string) => Cause,
): Promise<{ document: AccountDocument; position: number }> => {
  const id = newId();
  const aggregate = newAggregate(eventLog, account, streams.account(id));
  const { position, at } = await aggregate.execute({ type: 'open', ...opening }, causeOf(id));
  return { document: openedAccount(id, opening, at!), position: position! };
};

/** Opens an account. Returns its bare id. */
export const openAccount = async (eventLog: EventLog, actor: Actor, opening: Opening): Promise<string> =>
  (await openAccountAs(eventLog, opening, (id) => newCause(actor, id))).document.id;

const executeInTurn = createExecuteInTurn(account, streams.account);

export type AccountChange = Exclude<AccountCommand, { type: 'open' }>;

/**
 * Executes a command on an account, by bare id. `change` may depend on the time. `changed` is false if it had no
 * effect; `position` and `at` are then null. The state is NONE if the account does not exist.
 */
export const changeAccount = async (
  eventLog: EventLog,
  accountId: string,
  change: AccountChange | ((now: Date) => AccountChange),
  cause: Cause,
): Promise<{ changed: boolean; state: AccountState; position: number | null; at: string | null }> => {
  const commandAt = typeof change === 'function' ? change : () => change;
  const { events, ...result } = await executeInTurn(eventLog, accountId, commandAt, cause);
  return { changed: events.length > 0, ...result };
};

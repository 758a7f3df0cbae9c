import type { IdempotencyEvent } from '#contracts/events/idempotency.ts';
import type { Decider } from './decider.ts';

export const idempotencyKeyLifetimeMs = 24 * 60 * 60 * 1000;

type Claim = { id: string; operation: string; bodyMac: string };

export type IdempotencyState = { status: 'FREE'; released: Claim | null } | ({ status: 'CLAIMED' } & Claim);

export type IdempotencyCommand =
  /** `expired`: the current claim is older than the lifetime of a key. */
  ({ type: 'claim'; accountId: string; expired: boolean } & Claim) | { type: 'release'; id: string };

const claimOf = ({ id, operation, bodyMac }: Claim): Claim => ({ id, operation, bodyMac });

const evolve = (state: IdempotencyState, event: IdempotencyEvent): IdempotencyState => {
  switch (event.type) {
    case 'IdempotencyKeyClaimed': {
      return { status: 'CLAIMED', ...claimOf(event.data) };
    }
    case 'IdempotencyKeyReleased':
      return { status: 'FREE', released: state.status === 'CLAIMED' ? claimOf(state) : null };
    default:
      return event satisfies never;
  }
};

/** An append that timed out may still succeed. So a repeated request keeps its id and has one stream. */
const retriedId = ({ operation, bodyMac }: Claim, released: Claim | null): string | null =>
  released?.operation === operation && released.bodyMac === bodyMac ? released.id : null;

const decide = (command: IdempotencyCommand, state: IdempotencyState): IdempotencyEvent[] => {
  switch (command.type) {
    case 'claim': {
      const { type: _, expired, ...data } = command;
      if (state.status === 'CLAIMED') return expired ? [{ type: 'IdempotencyKeyClaimed', data }] : [];
      return [
        {
          type: 'IdempotencyKeyClaimed',
          data: { ...data, id: (expired ? null : retriedId(data, state.released)) ?? data.id },
        },
      ];
    }
    case 'release':
      return state.status === 'CLAIMED' && state.id === command.id
        ? [{ type: 'IdempotencyKeyReleased', data: { id: command.id } }]
        : [];
    default:
      return command satisfies never;
  }
};

/** One Idempotency-Key of an account. `claim` returns no events if another request holds the key; see the state. */
export const idempotency: Decider<IdempotencyState, IdempotencyCommand, IdempotencyEvent> = {
  initial: { status: 'FREE', released: null },
  evolve,
  decide,
};

import type { AccountEvent } from '#contracts/events/account.ts';
import { type LimitOverrides, limitOverrides, type PlanName } from '#contracts/plans.ts';
import type { Decider } from './decider.ts';

type AccountDetails = { plan: PlanName; overrides: LimitOverrides; secretGeneration: number };

export type AccountState =
  { status: 'NONE' } | ({ status: 'ACTIVE' } & AccountDetails) | ({ status: 'SUSPENDED' } & AccountDetails);

export type AccountCommand =
  | { type: 'open'; name: string; plan: PlanName; overrides: LimitOverrides }
  | { type: 'changePlan'; plan: PlanName; overrides: LimitOverrides; reason: string | null }
  | { type: 'suspend'; reason: string }
  | { type: 'reinstate'; reason: string | null }
  | { type: 'rotateWebhookSecret' };

const evolve = (state: AccountState, event: AccountEvent): AccountState => {
  switch (event.type) {
    case 'AccountOpened':
      return { status: 'ACTIVE', plan: event.data.plan, overrides: event.data.overrides, secretGeneration: 1 };
    case 'PlanChanged':
      return state.status === 'NONE' ? state : { ...state, plan: event.data.plan, overrides: event.data.overrides };
    case 'AccountSuspended':
      return state.status === 'NONE' ? state : { ...state, status: 'SUSPENDED' };
    case 'AccountReinstated':
      return state.status === 'NONE' ? state : { ...state, status: 'ACTIVE' };
    case 'WebhookSecretRotated':
      return state.status === 'NONE' ? state : { ...state, secretGeneration: event.data.generation };
    default:
      return event satisfies never;
  }
};

const overrideNames = Object.keys(limitOverrides.shape) as (keyof LimitOverrides)[];

const hasPlan = (
  state: Exclude<AccountState, { status: 'NONE' }>,
  plan: PlanName,
  overrides: LimitOverrides,
): boolean => state.plan === plan && overrideNames.every((name) => state.overrides[name] === overrides[name]);

const decide = (command: AccountCommand, state: AccountState): AccountEvent[] => {
  switch (command.type) {
    case 'open':
      return state.status === 'NONE'
        ? [{ type: 'AccountOpened', data: { name: command.name, plan: command.plan, overrides: command.overrides } }]
        : [];
    case 'changePlan':
      return state.status === 'NONE' || hasPlan(state, command.plan, command.overrides)
        ? []
        : [{ type: 'PlanChanged', data: { plan: command.plan, overrides: command.overrides, reason: command.reason } }];
    case 'suspend':
      return state.status === 'ACTIVE' ? [{ type: 'AccountSuspended', data: { reason: command.reason } }] : [];
    case 'reinstate':
      return state.status === 'SUSPENDED' ? [{ type: 'AccountReinstated', data: { reason: command.reason } }] : [];
    case 'rotateWebhookSecret':
      return state.status === 'NONE'
        ? []
        : [{ type: 'WebhookSecretRotated', data: { generation: state.secretGeneration + 1 } }];
    default:
      return command satisfies never;
  }
};

/** An account is opened once, and suspended and reinstated in turn. A change to the same plan has no effect. */
export const account: Decider<AccountState, AccountCommand, AccountEvent> = {
  initial: { status: 'NONE' },
  evolve,
  decide,
};

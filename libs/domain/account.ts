import { type AccountEvent, type AccountSettings, accountSettings } from '#contracts/events/account.ts';
import type { EventData } from '#contracts/events/event-schemas.ts';
import { type LimitOverrides, limitOverrides, type PlanName } from '#contracts/plans.ts';
import type { Decider } from './decider.ts';

/**
 * The generation of the present webhook secret, and the previous ones, the newest first. They sign until their time, ISO
 * 8601.
 */
export type WebhookSecretGenerations = {
  generation: number;
  previous: readonly { generation: number; validUntil: string }[];
};

type AccountDetails = {
  name: string;
  plan: PlanName;
  overrides: LimitOverrides;
  webhookSecret: WebhookSecretGenerations;
  settings: AccountSettings;
};

export type AccountState =
  { status: 'NONE' } | ({ status: 'ACTIVE' } & AccountDetails) | ({ status: 'SUSPENDED' } & AccountDetails);

export type AccountCommand =
  | { type: 'open'; name: string; plan: PlanName; overrides: LimitOverrides }
  | { type: 'changePlan'; plan: PlanName; overrides: LimitOverrides; reason: string | null }
  | { type: 'suspend'; reason: string }
  | { type: 'reinstate'; reason: string | null }
  | { type: 'rotateWebhookSecret'; now: Date }
  | { type: 'changeSettings'; name?: string | undefined; settings: Partial<AccountSettings> };

/** The settings of an account that has not changed them. */
export const defaultAccountSettings: AccountSettings = { locale: null, timeZone: null, pdfRetentionMinutes: null };

/** How long a webhook secret signs after it was replaced. */
const rotationOverlapMs = 24 * 60 * 60 * 1000;
/** Each one adds a signature to every callback. */
export const maxPreviousSecrets = 4;

/** The maximum number of previous webhook secrets is still valid, so there cannot be a new one before `until`. */
export class TooManyWebhookSecretsError extends Error {
  readonly until: string;
  constructor(until: string) {
    super(`${maxPreviousSecrets} previous webhook secrets are still valid.`);
    this.until = until;
  }
}

/** The previous generations that are still valid. */
export const validPreviousSecrets = (
  { previous }: WebhookSecretGenerations,
  now: Date,
): WebhookSecretGenerations['previous'] => previous.filter(({ validUntil }) => now.getTime() < Date.parse(validUntil));

/** The generations after a rotation. */
export const afterRotation = (
  { generation: replaced, previous }: WebhookSecretGenerations,
  { generation, previousValidUntil }: EventData['WebhookSecretRotated'],
): WebhookSecretGenerations => ({
  generation,
  previous: [{ generation: replaced, validUntil: previousValidUntil }, ...previous].slice(0, maxPreviousSecrets),
});

const evolve = (state: AccountState, event: AccountEvent): AccountState => {
  switch (event.type) {
    case 'AccountOpened':
      return {
        status: 'ACTIVE',
        name: event.data.name,
        plan: event.data.plan,
        overrides: event.data.overrides,
        webhookSecret: { generation: 1, previous: [] },
        settings: defaultAccountSettings,
      };
    case 'PlanChanged':
      return state.status === 'NONE' ? state : { ...state, plan: event.data.plan, overrides: event.data.overrides };
    case 'AccountSuspended':
      return state.status === 'NONE' ? state : { ...state, status: 'SUSPENDED' };
    case 'AccountReinstated':
      return state.status === 'NONE' ? state : { ...state, status: 'ACTIVE' };
    case 'WebhookSecretRotated':
      return state.status === 'NONE'
        ? state
        : { ...state, webhookSecret: afterRotation(state.webhookSecret, event.data) };
    case 'AccountRenamed':
      return state.status === 'NONE' ? state : { ...state, name: event.data.name };
    case 'AccountSettingsChanged':
      return state.status === 'NONE' ? state : { ...state, settings: event.data };
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

/** @throws TooManyWebhookSecretsError */
const rotateWebhookSecret = (secret: WebhookSecretGenerations, now: Date): AccountEvent[] => {
  const valid = validPreviousSecrets(secret, now);
  if (valid.length >= maxPreviousSecrets) throw new TooManyWebhookSecretsError(valid.at(-1)!.validUntil);
  const previousValidUntil = new Date(now.getTime() + rotationOverlapMs).toISOString();
  return [{ type: 'WebhookSecretRotated', data: { generation: secret.generation + 1, previousValidUntil } }];
};

const rename = (current: string, name: string | undefined): AccountEvent[] =>
  name === undefined || name === current ? [] : [{ type: 'AccountRenamed', data: { name } }];

const settingNames = Object.keys(accountSettings.shape) as (keyof AccountSettings)[];

const changeSettings = (current: AccountSettings, change: Partial<AccountSettings>): AccountEvent[] => {
  const named = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const settings: AccountSettings = { ...current, ...named };
  const isSame = settingNames.every((name) => settings[name] === current[name]);
  return isSame ? [] : [{ type: 'AccountSettingsChanged', data: settings }];
};

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
      return state.status === 'NONE' ? [] : rotateWebhookSecret(state.webhookSecret, command.now);
    case 'changeSettings':
      return state.status === 'NONE'
        ? []
        : [...rename(state.name, command.name), ...changeSettings(state.settings, command.settings)];
    default:
      return command satisfies never;
  }
};

/**
 * An account is opened once, and suspended and reinstated in turn. A change to the same plan, name or settings has no
 * effect.
 */
export const account: Decider<AccountState, AccountCommand, AccountEvent> = {
  initial: { status: 'NONE' },
  evolve,
  decide,
};

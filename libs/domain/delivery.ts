import type { AttemptOutcome, DeliveryEvent } from '#contracts/events/delivery.ts';
import type { Decider } from './decider.ts';

/** How long after an attempt the next one begins, in milliseconds. */
export const waitsMs = [5_000, 30_000] as const;
export const attemptsPerRound = waitsMs.length + 1;

type Place = { round: number; attempt: number };

export type DeliveryState =
  | { status: 'NONE' }
  /** `attempt` is the next one; it begins at `notBefore`, or at once where that is null. */
  | ({ status: 'DUE'; notBefore: string | null } & Place)
  | ({ status: 'SENT' } & Place)
  | ({ status: 'ENDED' } & Place);

export type DeliveryCommand =
  | { type: 'request'; data: Extract<DeliveryEvent, { type: 'DeliveryRequested' }>['data'] }
  | { type: 'send' }
  | { type: 'record'; outcome: AttemptOutcome; durationMs: number; now: Date }
  | { type: 'redeliver' };

const isSuccess = (outcome: AttemptOutcome): boolean => outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
const isWorthAnotherTry = (outcome: AttemptOutcome): boolean => outcome.kind !== 'answered' || outcome.status >= 500;

/** One line that tells a person why an attempt failed. */
export const errorOf = (outcome: AttemptOutcome): string => (outcome.kind === 'answered' ? `The receiver answered with status ${outcome.status}.` : outcome.reason);

const evolve = (_: DeliveryState, event: DeliveryEvent): DeliveryState => {
  switch (event.type) {
    case 'DeliveryRequested':
      return { status: 'DUE', round: 1, attempt: 1, notBefore: null };
    case 'WebhookSent':
      return { status: 'SENT', round: event.data.round, attempt: event.data.attempt };
    case 'WebhookAttempted':
      return { status: 'DUE', round: event.data.round, attempt: event.data.attempt + 1, notBefore: event.data.nextAttemptAt };
    case 'WebhookDelivered':
      return { status: 'ENDED', round: event.data.round, attempt: event.data.attempt };
    case 'WebhookFailed':
      return { status: 'ENDED', round: event.data.round, attempt: event.data.attempts };
    case 'RedeliveryRequested':
      return { status: 'DUE', round: event.data.round, attempt: 1, notBefore: null };
    default:
      return event satisfies never;
  }
};

const record = ({ round, attempt }: Place, { outcome, durationMs, now }: Extract<DeliveryCommand, { type: 'record' }>): DeliveryEvent[] => {
  const waitMs = isSuccess(outcome) || !isWorthAnotherTry(outcome) ? undefined : waitsMs[attempt - 1];
  const nextAttemptAt = waitMs === undefined ? null : new Date(now.getTime() + waitMs).toISOString();
  const attempted: DeliveryEvent = { type: 'WebhookAttempted', data: { round, attempt, outcome, durationMs, nextAttemptAt } };
  if (isSuccess(outcome)) return [attempted, { type: 'WebhookDelivered', data: { round, attempt } }];
  if (nextAttemptAt !== null) return [attempted];
  return [attempted, { type: 'WebhookFailed', data: { round, attempts: attempt, lastError: errorOf(outcome) } }];
};

const decide = (command: DeliveryCommand, state: DeliveryState): DeliveryEvent[] => {
  switch (command.type) {
    case 'request':
      return state.status === 'NONE' ? [{ type: 'DeliveryRequested', data: command.data }] : [];
    case 'send':
      return state.status === 'DUE' ? [{ type: 'WebhookSent', data: { round: state.round, attempt: state.attempt } }] : [];
    case 'record':
      return state.status === 'SENT' ? record(state, command) : [];
    case 'redeliver':
      return state.status === 'ENDED' ? [{ type: 'RedeliveryRequested', data: { round: state.round + 1 } }] : [];
    default:
      return command satisfies never;
  }
};

/** One callback: rounds of at most three attempts, each announced before it is made and recorded after. A 2xx delivers; 5xx, silence and broken connections are tried again. */
export const delivery: Decider<DeliveryState, DeliveryCommand, DeliveryEvent> = { initial: { status: 'NONE' }, evolve, decide };

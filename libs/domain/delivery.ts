import type { EventData } from '#contracts/events/event-schemas.ts';
import type { AttemptOutcome, DeliveryEvent } from '#contracts/events/delivery.ts';
import type { WebhookTarget } from '#contracts/events/render.ts';
import type { Decider } from './decider.ts';

/** How long after an attempt the next one begins, in milliseconds. */
const retryDelaysMs = [5_000, 30_000] as const;
/** How long the attempt of this number (from 1) waits for the one before to be over. */
export const retryDelayMs = (attempt: number): number => retryDelaysMs[attempt - 2] ?? 0;

type AttemptPosition = { round: number; attempt: number };
/** The target of the latest round, and whether its sealed box was erased. */
type CurrentTarget = { target: WebhookTarget; erased: boolean };

export type DeliveryState =
  | { status: 'NONE' }
  /** `attempt` is the next one; it begins at `notBefore`, or at once where that is null. */
  | ({ status: 'DUE'; nextAttemptAt: string | null } & AttemptPosition & CurrentTarget)
  | ({ status: 'ATTEMPTING' } & AttemptPosition & CurrentTarget)
  | ({ status: 'ENDED' } & AttemptPosition & CurrentTarget);

export type DeliveryCommand =
  | { type: 'request'; data: EventData['DeliveryRequested'] }
  | { type: 'startAttempt' }
  | { type: 'recordAttempt'; outcome: AttemptOutcome; durationMs: number; now: Date }
  | { type: 'redeliver'; target: WebhookTarget | null }
  | { type: 'eraseTarget'; sha256: string };

/** The callback cannot be sent to the same place again: its address and headers are erased once the delivery has ended. */
export class TargetErasedError extends Error {}

/** The hash of the sealed box that a delivery holds and has not erased; null where there is none. */
export const sealedBoxHash = (state: DeliveryState): string | null =>
  state.status === 'NONE' || state.erased ? null : (state.target.sealed?.sha256 ?? null);

const isSuccess = (outcome: AttemptOutcome): boolean =>
  outcome.kind === 'responded' && outcome.status >= 200 && outcome.status < 300;
const isRetryable = (outcome: AttemptOutcome): boolean => outcome.kind !== 'responded' || outcome.status >= 500;

/** One line that tells a person why an attempt failed. */
export const attemptErrorMessage = (outcome: AttemptOutcome): string =>
  outcome.kind === 'responded' ? `The receiver answered with status ${outcome.status}.` : outcome.reason;

const withNewTarget = ({ url, urlIsMasked, method, headers, sealed }: WebhookTarget): CurrentTarget => ({
  target: { url, urlIsMasked, method, headers, sealed },
  erased: false,
});

const stateAfterRequest = (event: DeliveryEvent): DeliveryState =>
  event.type === 'DeliveryRequested'
    ? { status: 'DUE', round: 1, attempt: 1, nextAttemptAt: null, ...withNewTarget(event.data) }
    : { status: 'NONE' };

const evolve = (state: DeliveryState, event: DeliveryEvent): DeliveryState => {
  if (state.status === 'NONE') return stateAfterRequest(event);
  const going: CurrentTarget = { target: state.target, erased: state.erased };
  switch (event.type) {
    case 'DeliveryRequested':
      return state;
    case 'WebhookAttemptStarted':
      return { ...going, status: 'ATTEMPTING', round: event.data.round, attempt: event.data.attempt };
    case 'WebhookAttempted':
      return {
        ...going,
        status: 'DUE',
        round: event.data.round,
        attempt: event.data.attempt + 1,
        nextAttemptAt: event.data.nextAttemptAt,
      };
    case 'WebhookDelivered':
      return { ...going, status: 'ENDED', round: event.data.round, attempt: event.data.attempt };
    case 'WebhookFailed':
      return { ...going, status: 'ENDED', round: event.data.round, attempt: event.data.attempts };
    case 'RedeliveryRequested':
      return {
        ...(event.data.target ? withNewTarget(event.data.target) : going),
        status: 'DUE',
        round: event.data.round,
        attempt: 1,
        nextAttemptAt: null,
      };
    case 'WebhookTargetErased':
      return { ...state, erased: true };
    default:
      return event satisfies never;
  }
};

const recordAttempt = (
  { round, attempt }: AttemptPosition,
  { outcome, durationMs, now }: Extract<DeliveryCommand, { type: 'recordAttempt' }>,
): DeliveryEvent[] => {
  const waitMs = isSuccess(outcome) || !isRetryable(outcome) ? undefined : retryDelaysMs[attempt - 1];
  const nextAttemptAt = waitMs === undefined ? null : new Date(now.getTime() + waitMs).toISOString();
  const attempted: DeliveryEvent = {
    type: 'WebhookAttempted',
    data: { round, attempt, outcome, durationMs, nextAttemptAt },
  };
  if (isSuccess(outcome)) return [attempted, { type: 'WebhookDelivered', data: { round, attempt } }];
  if (nextAttemptAt !== null) return [attempted];
  return [
    attempted,
    { type: 'WebhookFailed', data: { round, attempts: attempt, lastError: attemptErrorMessage(outcome) } },
  ];
};

/** @throws TargetErased where the sealed box of the former round is needed, or still there */
const redeliver = (
  state: Extract<DeliveryState, { status: 'ENDED' }>,
  target: WebhookTarget | null,
): DeliveryEvent[] => {
  if (sealedBoxHash(state) !== null)
    throw new TargetErasedError('The sealed box of the former round is to be erased first.');
  if (target === null && state.target.sealed !== null)
    throw new TargetErasedError('The sealed box of the former round was erased.');
  return [{ type: 'RedeliveryRequested', data: { round: state.round + 1, target } }];
};

const decide = (command: DeliveryCommand, state: DeliveryState): DeliveryEvent[] => {
  switch (command.type) {
    case 'request':
      return state.status === 'NONE' ? [{ type: 'DeliveryRequested', data: command.data }] : [];
    case 'startAttempt':
      return state.status === 'DUE'
        ? [{ type: 'WebhookAttemptStarted', data: { round: state.round, attempt: state.attempt } }]
        : [];
    case 'recordAttempt':
      return state.status === 'ATTEMPTING' ? recordAttempt(state, command) : [];
    case 'redeliver':
      return state.status === 'ENDED' ? redeliver(state, command.target) : [];
    case 'eraseTarget':
      return state.status === 'ENDED' && sealedBoxHash(state) === command.sha256
        ? [{ type: 'WebhookTargetErased', data: { sha256: command.sha256 } }]
        : [];
    default:
      return command satisfies never;
  }
};

/** One callback: rounds of at most three attempts, each announced before it is made and recorded after. A 2xx delivers; 5xx, silence and broken connections are tried again. */
export const delivery: Decider<DeliveryState, DeliveryCommand, DeliveryEvent> = {
  initial: { status: 'NONE' },
  evolve,
  decide,
};

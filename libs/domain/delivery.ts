import type { EventData } from '#contracts/events/event-schemas.ts';
import type { AttemptOutcome, AttemptRequest, DeliveryEvent } from '#contracts/events/delivery.ts';
import type { WebhookTarget } from '#contracts/events/webhook-target.ts';
import type { Decider } from './decider.ts';
import { endpointOf } from './webhook-url.ts';

/** The delays before the second and the third attempt. */
const retryDelaysMs = [5_000, 30_000] as const;
/** The first attempt of a redelivery is at most this far in the future. */
export const maxStartDelayMs = 60_000;
/** The longest delay before an attempt, in milliseconds. `attempt` counts from 1. */
export const maxAttemptDelayMs = (attempt: number): number =>
  attempt === 1 ? maxStartDelayMs : (retryDelaysMs[attempt - 2] ?? 0);

export type AttemptPosition = { round: number; attempt: number };

/** Whether two attempts are the same. A worker that was stopped for a while may speak of an earlier one. */
export const isSameAttempt = (one: AttemptPosition, other: AttemptPosition): boolean =>
  one.round === other.round && one.attempt === other.attempt;

/** The target of the current round, and whether its sealed box was erased. */
type CurrentTarget = { target: WebhookTarget; erased: boolean };

export type DeliveryState =
  | { status: 'NONE' }
  /** `attempt` is the next one. It starts at `nextAttemptAt`, or at once if that is null. */
  | ({ status: 'DUE'; nextAttemptAt: string | null } & AttemptPosition & CurrentTarget)
  /** `starts` counts how often the attempt was started: it is started again after a crash. */
  | ({ status: 'ATTEMPTING'; starts: number } & AttemptPosition & CurrentTarget)
  | ({ status: 'ENDED' } & AttemptPosition & CurrentTarget);

export type DeliveryCommand =
  | { type: 'request'; data: EventData['DeliveryRequested'] }
  /** `starts`: how often the attempt was started before. Of several workers, one can start it once more. */
  | ({ type: 'startAttempt'; starts: number } & AttemptPosition)
  /** `starts` includes the start of this attempt: one that was started again since has another outcome. */
  | ({
      type: 'recordAttempt';
      request: AttemptRequest | null;
      outcome: AttemptOutcome;
      durationMs: number;
      now: Date;
      starts: number;
    } & AttemptPosition)
  | { type: 'redeliver'; target: WebhookTarget | null; startsAt: Date | null }
  | { type: 'eraseTarget'; sha256: string };

/** A redelivery needs a new target, because the URL and headers of the ended delivery were erased. */
export class TargetErasedError extends Error {}

/** How often the current attempt was started. */
export const startsOf = (state: DeliveryState): number => (state.status === 'ATTEMPTING' ? state.starts : 0);

/** The hash of the sealed box that is not yet erased; null if there is none. */
export const sealedBoxHash = (state: DeliveryState): string | null =>
  state.status === 'NONE' || state.erased ? null : (state.target.sealed?.sha256 ?? null);

/** Whether the receiver accepted the webhook. */
export const isSuccess = (outcome: AttemptOutcome): boolean =>
  outcome.kind === 'responded' && outcome.status >= 200 && outcome.status < 300;
const isRetryable = (outcome: AttemptOutcome): boolean => outcome.kind !== 'responded' || outcome.status >= 500;

/** The `webhook_last_error` of a failed attempt. */
export const attemptErrorMessage = (outcome: AttemptOutcome): string =>
  outcome.kind === 'responded' ? `The receiver responded with status ${outcome.status}.` : outcome.reason;

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
  const current: CurrentTarget = { target: state.target, erased: state.erased };
  switch (event.type) {
    case 'DeliveryRequested':
      return state;
    case 'WebhookAttemptStarted':
      return {
        ...current,
        status: 'ATTEMPTING',
        round: event.data.round,
        attempt: event.data.attempt,
        starts: startsOf(state) + 1,
      };
    case 'WebhookAttempted':
      return {
        ...current,
        status: 'DUE',
        round: event.data.round,
        attempt: event.data.attempt + 1,
        nextAttemptAt: event.data.nextAttemptAt,
      };
    case 'WebhookDelivered':
      return { ...current, status: 'ENDED', round: event.data.round, attempt: event.data.attempt };
    case 'WebhookFailed':
      return { ...current, status: 'ENDED', round: event.data.round, attempt: event.data.attempts };
    case 'RedeliveryRequested':
      return {
        ...(event.data.target ? withNewTarget(event.data.target) : current),
        status: 'DUE',
        round: event.data.round,
        attempt: 1,
        nextAttemptAt: event.data.startsAt,
      };
    case 'WebhookTargetErased':
      return { ...state, erased: true };
    default:
      return event satisfies never;
  }
};

const recordAttempt = (
  { round, attempt, target }: AttemptPosition & CurrentTarget,
  { request, outcome, durationMs, now }: Extract<DeliveryCommand, { type: 'recordAttempt' }>,
): DeliveryEvent[] => {
  const delayMs = isSuccess(outcome) || !isRetryable(outcome) ? undefined : retryDelaysMs[attempt - 1];
  const nextAttemptAt = delayMs === undefined ? null : new Date(now.getTime() + delayMs).toISOString();
  const attempted: DeliveryEvent = {
    type: 'WebhookAttempted',
    data: { round, attempt, request, outcome, endpoint: endpointOf(target.url), durationMs, nextAttemptAt },
  };
  if (isSuccess(outcome)) return [attempted, { type: 'WebhookDelivered', data: { round, attempt } }];
  if (nextAttemptAt !== null) return [attempted];
  return [
    attempted,
    { type: 'WebhookFailed', data: { round, attempts: attempt, lastError: attemptErrorMessage(outcome) } },
  ];
};

/** @throws TargetErasedError if the sealed box of the previous round is needed, or not yet erased */
const redeliver = (
  state: Extract<DeliveryState, { status: 'ENDED' }>,
  { target, startsAt }: Extract<DeliveryCommand, { type: 'redeliver' }>,
): DeliveryEvent[] => {
  if (sealedBoxHash(state) !== null)
    throw new TargetErasedError('The sealed box of the previous round is not erased yet.');
  if (target === null && state.target.sealed !== null)
    throw new TargetErasedError('The sealed box of the previous round was erased.');
  return [
    {
      type: 'RedeliveryRequested',
      data: { round: state.round + 1, target, startsAt: startsAt?.toISOString() ?? null },
    },
  ];
};

const decide = (command: DeliveryCommand, state: DeliveryState): DeliveryEvent[] => {
  switch (command.type) {
    case 'request':
      return state.status === 'NONE' ? [{ type: 'DeliveryRequested', data: command.data }] : [];
    case 'startAttempt':
      return (state.status === 'DUE' || state.status === 'ATTEMPTING') &&
        isSameAttempt(state, command) &&
        startsOf(state) === command.starts
        ? [{ type: 'WebhookAttemptStarted', data: { round: state.round, attempt: state.attempt } }]
        : [];
    case 'recordAttempt':
      return state.status === 'ATTEMPTING' && isSameAttempt(state, command) && state.starts === command.starts
        ? recordAttempt(state, command)
        : [];
    case 'redeliver':
      return state.status === 'ENDED' ? redeliver(state, command) : [];
    case 'eraseTarget':
      return state.status === 'ENDED' && sealedBoxHash(state) === command.sha256
        ? [{ type: 'WebhookTargetErased', data: { sha256: command.sha256 } }]
        : [];
    default:
      return command satisfies never;
  }
};

/**
 * One webhook delivery: rounds of at most three attempts, each with an event before and after it. A 2xx response
 * delivers. 5xx, timeouts and failed connections are retried.
 */
export const delivery: Decider<DeliveryState, DeliveryCommand, DeliveryEvent> = {
  initial: { status: 'NONE' },
  evolve,
  decide,
};

import type { EventData } from '#contracts/events/all.ts';
import type { AttemptOutcome, DeliveryEvent } from '#contracts/events/delivery.ts';
import type { WebhookTarget } from '#contracts/events/render.ts';
import type { Decider } from './decider.ts';

/** How long after an attempt the next one begins, in milliseconds. */
const waitsMs = [5_000, 30_000] as const;
/** How long the attempt of this number (from 1) waits for the one before to be over. */
export const waitBefore = (attempt: number): number => waitsMs[attempt - 2] ?? 0;

type Place = { round: number; attempt: number };
/** The target of the latest round, and whether its sealed box was erased. */
type Going = { target: WebhookTarget; erased: boolean };

export type DeliveryState =
  | { status: 'NONE' }
  /** `attempt` is the next one; it begins at `notBefore`, or at once where that is null. */
  | ({ status: 'DUE'; notBefore: string | null } & Place & Going)
  | ({ status: 'SENT' } & Place & Going)
  | ({ status: 'ENDED' } & Place & Going);

export type DeliveryCommand =
  | { type: 'request'; data: EventData['DeliveryRequested'] }
  | { type: 'send' }
  | { type: 'record'; outcome: AttemptOutcome; durationMs: number; now: Date }
  | { type: 'redeliver'; target: WebhookTarget | null }
  | { type: 'eraseTarget'; sha256: string };

/** The callback cannot be sent to the same place again: its address and headers are erased once the delivery has ended. */
export class TargetErased extends Error {}

/** The hash of the sealed box that a delivery holds and has not erased; null where there is none. */
export const sealedBoxOf = (state: DeliveryState): string | null => (state.status === 'NONE' || state.erased ? null : (state.target.sealed?.sha256 ?? null));

const isSuccess = (outcome: AttemptOutcome): boolean => outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
const isWorthAnotherTry = (outcome: AttemptOutcome): boolean => outcome.kind !== 'answered' || outcome.status >= 500;

/** One line that tells a person why an attempt failed. */
export const errorOf = (outcome: AttemptOutcome): string => (outcome.kind === 'answered' ? `The receiver answered with status ${outcome.status}.` : outcome.reason);

const begun = ({ url, urlIsMasked, method, headers, sealed }: WebhookTarget): Going => ({ target: { url, urlIsMasked, method, headers, sealed }, erased: false });

const requested = (event: DeliveryEvent): DeliveryState =>
  event.type === 'DeliveryRequested' ? { status: 'DUE', round: 1, attempt: 1, notBefore: null, ...begun(event.data) } : { status: 'NONE' };

const evolve = (state: DeliveryState, event: DeliveryEvent): DeliveryState => {
  if (state.status === 'NONE') return requested(event);
  const going: Going = { target: state.target, erased: state.erased };
  switch (event.type) {
    case 'DeliveryRequested':
      return state;
    case 'WebhookSent':
      return { ...going, status: 'SENT', round: event.data.round, attempt: event.data.attempt };
    case 'WebhookAttempted':
      return { ...going, status: 'DUE', round: event.data.round, attempt: event.data.attempt + 1, notBefore: event.data.nextAttemptAt };
    case 'WebhookDelivered':
      return { ...going, status: 'ENDED', round: event.data.round, attempt: event.data.attempt };
    case 'WebhookFailed':
      return { ...going, status: 'ENDED', round: event.data.round, attempt: event.data.attempts };
    case 'RedeliveryRequested':
      return { ...(event.data.target ? begun(event.data.target) : going), status: 'DUE', round: event.data.round, attempt: 1, notBefore: null };
    case 'WebhookTargetErased':
      return { ...state, erased: true };
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

/** @throws TargetErased where the sealed box of the former round is needed, or still there */
const redeliver = (state: Extract<DeliveryState, { status: 'ENDED' }>, target: WebhookTarget | null): DeliveryEvent[] => {
  if (sealedBoxOf(state) !== null) throw new TargetErased('The sealed box of the former round is to be erased first.');
  if (target === null && state.target.sealed !== null) throw new TargetErased('The sealed box of the former round was erased.');
  return [{ type: 'RedeliveryRequested', data: { round: state.round + 1, target } }];
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
      return state.status === 'ENDED' ? redeliver(state, command.target) : [];
    case 'eraseTarget':
      return state.status === 'ENDED' && sealedBoxOf(state) === command.sha256 ? [{ type: 'WebhookTargetErased', data: { sha256: command.sha256 } }] : [];
    default:
      return command satisfies never;
  }
};

/** One callback: rounds of at most three attempts, each announced before it is made and recorded after. A 2xx delivers; 5xx, silence and broken connections are tried again. */
export const delivery: Decider<DeliveryState, DeliveryCommand, DeliveryEvent> = { initial: { status: 'NONE' }, evolve, decide };

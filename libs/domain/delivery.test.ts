import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttemptOutcome, DeliveryEvent } from '#contracts/events/delivery.ts';
import { fold } from './decider.ts';
import { type AttemptPosition, delivery, type DeliveryCommand, startsOf } from './delivery.ts';

const now = new Date('2026-01-01T00:00:00.000Z');
const requested: DeliveryEvent = {
  type: 'DeliveryRequested',
  data: {
    accountId: 'A',
    url: 'https://example.com/',
    urlIsMasked: false,
    method: 'POST',
    headers: {},
    sealed: null,
    payload: { sha256: 'x', size: 1 },
  },
};
const responded = (status: number): AttemptOutcome => ({ kind: 'responded', status, headers: {}, responseBody: '' });
const timeout: AttemptOutcome = { kind: 'timeout', reason: 'no response within 10 s' };

/** A command, or one for the current attempt. */
type Current = AttemptPosition & { starts?: number };
type Step = DeliveryCommand | ((current: Current) => DeliveryCommand);
const startAttempt = (current: Current): DeliveryCommand => ({ type: 'startAttempt', ...current, starts: 0 });
const recordAttempt =
  (outcome: AttemptOutcome) =>
  (current: Current): DeliveryCommand => ({
    type: 'recordAttempt',
    starts: 1,
    ...current,
    request: { headers: {} },
    outcome,
    durationMs: 1,
    now,
  });

const eventsAfter = (steps: readonly Step[]): DeliveryEvent[] =>
  steps.reduce<DeliveryEvent[]>(
    (events, step) => {
      const state = fold(delivery, events);
      const { round, attempt } = state.status === 'NONE' ? { round: 0, attempt: 0 } : state;
      const current = { round, attempt, starts: startsOf(state) };
      return [...events, ...delivery.decide(typeof step === 'function' ? step(current) : step, state)];
    },
    [requested],
  );
const attempt = (outcome: AttemptOutcome): Step[] => [startAttempt, recordAttempt(outcome)];
const types = (events: readonly DeliveryEvent[]): string[] => events.map(({ type }) => type);

describe('A webhook delivery', () => {
  test('succeeds with any 2xx response', () => {
    for (const status of [200, 204, 299])
      expect(types(eventsAfter(attempt(responded(status))))).toEqual([
        'DeliveryRequested',
        'WebhookAttemptStarted',
        'WebhookAttempted',
        'WebhookDelivered',
      ]);
  });

  test('fails without a retry after a redirect or a 4xx response', () => {
    for (const status of [301, 400, 404, 410])
      expect(types(eventsAfter(attempt(responded(status)))).at(-1)).toBe('WebhookFailed');
  });

  test('is retried 5 and then 30 seconds after a 5xx response or a timeout', () => {
    const events = eventsAfter([...attempt(responded(503)), ...attempt(timeout), ...attempt(timeout)]);
    const next = events.flatMap((event) => (event.type === 'WebhookAttempted' ? [event.data.nextAttemptAt] : []));
    expect(next).toEqual(['2026-01-01T00:00:05.000Z', '2026-01-01T00:00:30.000Z', null]);
    expect(events.at(-1)).toEqual({
      type: 'WebhookFailed',
      data: { round: 1, attempts: 3, lastError: 'no response within 10 s' },
    });
  });

  test('starts a new round only after it has ended', () => {
    expect(types(eventsAfter([{ type: 'redeliver', target: null, startsAt: null }]))).toEqual(['DeliveryRequested']);
    const events = eventsAfter([
      ...attempt(responded(404)),
      { type: 'redeliver', target: null, startsAt: null },
      ...attempt(responded(200)),
    ]);
    expect(events.at(-1)).toEqual({ type: 'WebhookDelivered', data: { round: 2, attempt: 1 } });
  });

  test('takes neither the start nor the outcome of an earlier attempt for the current one', () => {
    const first = { round: 1, attempt: 1 };
    const late = [startAttempt(first), recordAttempt(timeout)(first)];
    const due = eventsAfter(attempt(responded(500)));
    expect(eventsAfter([...attempt(responded(500)), ...late])).toEqual(due);
    const started = eventsAfter([...attempt(responded(500)), startAttempt]);
    expect(eventsAfter([...attempt(responded(500)), startAttempt, ...late])).toEqual(started);
    const again: Step = { type: 'redeliver', target: null, startsAt: null };
    const secondRound = eventsAfter([...attempt(responded(404)), again, startAttempt]);
    expect(eventsAfter([...attempt(responded(404)), again, startAttempt, ...late])).toEqual(secondRound);
  });

  test('starts an interrupted attempt once more, even if several workers try', () => {
    const again =
      (starts: number) =>
      (current: Current): DeliveryCommand => ({ type: 'startAttempt', ...current, starts });
    const started = ['DeliveryRequested', 'WebhookAttemptStarted'];
    expect(types(eventsAfter([startAttempt, startAttempt]))).toEqual(started);
    expect(types(eventsAfter([startAttempt, again(1), again(1)]))).toEqual([...started, 'WebhookAttemptStarted']);
    const late = recordAttempt(timeout)({ round: 1, attempt: 1, starts: 1 });
    expect(types(eventsAfter([startAttempt, again(1), late]))).toEqual([...started, 'WebhookAttemptStarted']);
    const ended = eventsAfter([startAttempt, again(1), recordAttempt(timeout), startAttempt]);
    expect(ended.at(-1)).toEqual({ type: 'WebhookAttemptStarted', data: { round: 1, attempt: 2 } });
  });

  test('has at most three attempts and one end per round, after any commands', () => {
    const outcome = fc.oneof(fc.integer({ min: 200, max: 599 }).map(responded), fc.constant(timeout));
    const position = fc.record({ round: fc.integer({ min: 1, max: 3 }), attempt: fc.integer({ min: 1, max: 3 }) });
    const step: fc.Arbitrary<Step> = fc.oneof(
      fc.constant(startAttempt),
      outcome.map(recordAttempt),
      position.map(startAttempt),
      fc.tuple(outcome, position).map(([ended, at]) => recordAttempt(ended)(at)),
      fc.constant({ type: 'redeliver', target: null, startsAt: null } as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const events = eventsAfter(steps);
        const rounds = Map.groupBy(events, (event) => ('round' in event.data ? event.data.round : 0));
        for (const [round, ofRound] of rounds) {
          if (round === 0) continue;
          expect(ofRound.filter(({ type }) => type === 'WebhookAttemptStarted').length).toBeLessThanOrEqual(3);
          expect(
            ofRound.filter(({ type }) => type === 'WebhookDelivered' || type === 'WebhookFailed').length,
          ).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

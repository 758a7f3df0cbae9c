import type { AttemptOutcome, DeliveryEvent } from '#contracts/events/delivery.ts';
import type { EventOf } from '#contracts/events/event-schemas.ts';
import type { WebhookTarget } from '#contracts/events/webhook-target.ts';
import type { DeliveryRound, TestWebhookResponse } from '#contracts/http/deliveries.ts';
import type { Metadata } from '#contracts/events/metadata.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';

/** The response of a receiver, or why there was none, as the API shows it. */
export const outcomeView = (outcome: AttemptOutcome): Pick<TestWebhookResponse, 'response' | 'error'> =>
  outcome.kind === 'responded'
    ? { response: { status: outcome.status, headers: outcome.headers, body: outcome.responseBody }, error: null }
    : { response: null, error: { kind: outcome.kind, message: outcome.reason } };

type Attempt = DeliveryRound['attempts'][number];
type ActorView = (metadata: Metadata) => DeliveryRound['actor'];

const startedAttempt = (attempt: number, startedAt: string): Attempt => ({
  attempt,
  started_at: startedAt,
  duration_ms: null,
  request: null,
  response: null,
  error: null,
  next_attempt_at: null,
});

const endedAttempt = (
  started: Attempt,
  { url, method }: WebhookTarget,
  { request, outcome, durationMs, nextAttemptAt }: EventOf<'WebhookAttempted'>['data'],
): Attempt => ({
  ...started,
  duration_ms: durationMs,
  request: request && { method, url, headers: request.headers },
  ...outcomeView(outcome),
  next_attempt_at: nextAttemptAt,
});

const interrupted = {
  kind: 'failed' as const,
  message: 'The service did not record how this attempt ended, because it stopped or could not write, and repeated it.',
};

/** The rounds of a delivery with their attempts, from its events. The oldest is the first. */
export const roundsOf = (history: readonly RecordedEvent<DeliveryEvent>[], actorView: ActorView): DeliveryRound[] => {
  const rounds: DeliveryRound[] = [];
  let target: WebhookTarget | undefined;
  const begin = ({ metadata }: RecordedEvent, round: number): void =>
    void rounds.push({ round, requested_at: metadata.occurredAt, actor: actorView(metadata), attempts: [] });
  for (const event of history) {
    const attempts = rounds.at(-1)?.attempts ?? [];
    switch (event.type) {
      case 'DeliveryRequested':
        target = event.data;
        begin(event, 1);
        break;
      case 'RedeliveryRequested':
        target = event.data.target ?? target;
        begin(event, event.data.round);
        break;
      case 'WebhookAttemptStarted':
        if (attempts.at(-1)?.attempt === event.data.attempt) attempts.push({ ...attempts.pop()!, error: interrupted });
        attempts.push(startedAttempt(event.data.attempt, event.metadata.occurredAt));
        break;
      case 'WebhookAttempted':
        attempts.push(endedAttempt(attempts.pop()!, target!, event.data));
        break;
      default:
    }
  }
  return rounds;
};

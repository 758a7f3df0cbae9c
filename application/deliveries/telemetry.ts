import type { AttemptOutcome, DeliveryEvent } from '#contracts/events/delivery.ts';
import { count, record } from '#libs/telemetry/metrics.ts';
import { isTracingEnabled, type Span, withSpan } from '#libs/telemetry/tracing.ts';

const outcomeLabels = { timeout: 'timeout', blocked: 'blocked', failed: 'failed' } as const;
const attemptLabels = ['1', '2', '3'] as const;

/** Counts what the log has come to say of a callback. */
export const countAttempts = (events: readonly DeliveryEvent[]): void => {
  const ended = events.find(({ type }) => type === 'WebhookDelivered' || type === 'WebhookFailed')?.type;
  for (const event of events) {
    if (event.type !== 'WebhookAttempted') continue;
    const { attempt, outcome, durationMs } = event.data;
    const name =
      outcome.kind !== 'responded'
        ? outcomeLabels[outcome.kind]
        : ended === 'WebhookDelivered'
          ? 'delivered'
          : 'rejected';
    count('colophon.webhook.attempts', 1, {
      outcome: name,
      attempt: attemptLabels[Math.min(attempt, attemptLabels.length) - 1]!,
    });
    record('colophon.webhook.attempt.duration', durationMs / 1000, {});
  }
  if (ended)
    count('colophon.webhook.deliveries', 1, { outcome: ended === 'WebhookDelivered' ? 'delivered' : 'failed' });
};

type Outcome = AttemptOutcome | { kind: 'responded'; status: number };

/** One attempt to call back, in its span. `call` is given the span's `traceparent`, which goes to the receiver; `led` where tracing is off. */
export const traceAttempt = <T extends Outcome>(
  { url, method, attempt, led }: { url: string; method: string; attempt: number; led: string | null },
  call: (traceparent: string | null) => Promise<T>,
): Promise<T> => {
  if (!isTracingEnabled()) return call(led);
  const { hostname, port, protocol } = new URL(url);
  // Of the address no more than the host: the rest may hold what only caller and receiver should know.
  const attributes = {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    'colophon.attempt': attempt,
    ...(attempt > 1 ? { 'http.request.resend_count': attempt - 1 } : {}),
  };
  return withSpan({ name: `webhook ${method}`, kind: 'client', attributes }, async (span) => {
    const outcome = await call(span.traceparent ?? led);
    setOutcomeAttributes(span, outcome);
    return outcome;
  });
};

const setOutcomeAttributes = (span: Span, outcome: Outcome): void => {
  if (outcome.kind !== 'responded') return span.setErrorType(outcome.kind);
  span.setAttributes({ 'http.response.status_code': outcome.status });
  if (outcome.status >= 400) span.setErrorType(String(outcome.status));
};

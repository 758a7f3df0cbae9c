import type { AttemptOutcome, DeliveryEvent } from '#contracts/events/delivery.ts';
import { count, record } from '#libs/telemetry/metrics.ts';
import { isTracingEnabled, type Span, withSpan } from '#libs/telemetry/tracing.ts';

const outcomeLabels = { timeout: 'timeout', blocked: 'blocked', failed: 'failed' } as const;
const attemptLabels = ['1', '2', '3'] as const;

/** Counts the attempts and the end of a delivery. */
export const countAttempts = (events: readonly DeliveryEvent[]): void => {
  const ended = events.find(({ type }) => type === 'WebhookDelivered' || type === 'WebhookFailed')?.type;
  for (const event of events) {
    if (event.type !== 'WebhookAttempted') continue;
    const { attempt, outcome, durationMs } = event.data;
    const label =
      outcome.kind !== 'responded'
        ? outcomeLabels[outcome.kind]
        : ended === 'WebhookDelivered'
          ? 'delivered'
          : 'rejected';
    count('colophon.webhook.attempts', 1, {
      outcome: label,
      attempt: attemptLabels[Math.min(attempt, attemptLabels.length) - 1]!,
    });
    record('colophon.webhook.attempt.duration', durationMs / 1000, {});
  }
  if (ended)
    count('colophon.webhook.deliveries', 1, { outcome: ended === 'WebhookDelivered' ? 'delivered' : 'failed' });
};

type Outcome = AttemptOutcome | { kind: 'responded'; status: number };

/**
 * Runs an attempt in a span. `call` gets the `traceparent` of the span for the receiver, or `parent` if tracing is off.
 */
export const traceAttempt = <T extends Outcome>(
  { url, method, attempt, parent }: { url: string; method: string; attempt: number; parent: string | null },
  call: (traceparent: string | null) => Promise<T>,
): Promise<T> => {
  if (!isTracingEnabled()) return call(parent);
  const { hostname, port, protocol } = new URL(url);
  // Only the host of the URL: the rest may contain secrets.
  const attributes = {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    'colophon.attempt': attempt,
    ...(attempt > 1 ? { 'http.request.resend_count': attempt - 1 } : {}),
  };
  return withSpan({ name: `webhook ${method}`, kind: 'client', attributes }, async (span) => {
    const outcome = await call(span.traceparent ?? parent);
    setOutcomeAttributes(span, outcome);
    return outcome;
  });
};

const setOutcomeAttributes = (span: Span, outcome: Outcome): void => {
  if (outcome.kind !== 'responded') return span.setErrorType(outcome.kind);
  span.setAttributes({ 'http.response.status_code': outcome.status });
  if (outcome.status >= 400) span.setErrorType(String(outcome.status));
};

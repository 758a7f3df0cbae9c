import type { AttemptOutcome, DeliveryEvent } from '#contracts/events/delivery.ts';
import { count, record } from '#libs/telemetry/metrics.ts';
import { isTracing, type Span, traced } from '#libs/telemetry/tracing.ts';

const outcomeNames = { timeout: 'timeout', refused: 'refused', failed: 'failed' } as const;
const attempts = ['1', '2', '3'] as const;

/** Counts what the log has come to say of a callback. */
export const countDelivery = (events: readonly DeliveryEvent[]): void => {
  const ended = events.find(({ type }) => type === 'WebhookDelivered' || type === 'WebhookFailed')?.type;
  for (const event of events) {
    if (event.type !== 'WebhookAttempted') continue;
    const { attempt, outcome, durationMs } = event.data;
    const name = outcome.kind !== 'answered' ? outcomeNames[outcome.kind] : ended === 'WebhookDelivered' ? 'delivered' : 'rejected';
    count('colophon.delivery.attempts', 1, { outcome: name, attempt: attempts[Math.min(attempt, attempts.length) - 1]! });
    record('colophon.delivery.duration', durationMs / 1000, {});
  }
  if (ended) count('colophon.deliveries', 1, { outcome: ended === 'WebhookDelivered' ? 'delivered' : 'failed' });
};

type Outcome = AttemptOutcome | { kind: 'answered'; status: number };

/** One attempt to call back, in its span. `call` is given the span's `traceparent`, which goes to the receiver; `led` where tracing is off. */
export const callInTrace = <T extends Outcome>({ url, method, attempt, led }: { url: string; method: string; attempt: number; led: string | null }, call: (traceparent: string | null) => Promise<T>): Promise<T> => {
  if (!isTracing()) return call(led);
  const { hostname, port, protocol } = new URL(url);
  // Of the address no more than the host: the rest may hold what only caller and receiver should know.
  const attributes = { 'http.request.method': method, 'server.address': hostname, 'server.port': Number(port || (protocol === 'https:' ? 443 : 80)), 'colophon.attempt': attempt, ...(attempt > 1 ? { 'http.request.resend_count': attempt - 1 } : {}) };
  return traced({ name: `callback ${method}`, kind: 'client', attributes }, async (span) => {
    const outcome = await call(span.traceparent ?? led);
    noteOutcome(span, outcome);
    return outcome;
  });
};

const noteOutcome = (span: Span, outcome: Outcome): void => {
  if (outcome.kind !== 'answered') return span.failAs(outcome.kind);
  span.note({ 'http.response.status_code': outcome.status });
  if (outcome.status >= 400) span.failAs(String(outcome.status));
};

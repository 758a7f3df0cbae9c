import type { Actor, Metadata } from '#contracts/events/metadata.ts';
import { apiKeyIdOf } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';

/** Who gave rise to an event, as callers see it. */
export const actorView = ({ actor }: Metadata): Actor =>
  actor.kind === 'key' ? { kind: 'key', id: apiKeyIdOf(actor.id) } : actor;

/** The trace id of W3C Trace Context; null where the event belongs to no trace. */
export const traceIdView = ({ traceparent }: Metadata): string | null => traceparent?.split('-')[1] ?? null;

/** Names of machines and processes stay inside the service. */
const withoutWorker = (data: object): unknown => {
  const { worker: _, ...shown } = data as Record<string, unknown>;
  return shown;
};

/** An event as a history shows it. */
export const eventView = ({ id, type, revision, data, metadata }: RecordedEvent) => ({
  id,
  type,
  revision,
  time: metadata.occurredAt,
  actor: actorView(metadata),
  trace_id: traceIdView(metadata),
  request_id: metadata.correlationId,
  data: withoutWorker(data),
});

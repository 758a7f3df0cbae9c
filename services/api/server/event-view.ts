import type { Actor, Metadata } from '#contracts/events/metadata.ts';
import { apiKeyIdOf } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';

/** The actor of an event as the API returns it. */
export const actorView = ({ actor }: Metadata): Actor =>
  actor.kind === 'key' ? { kind: 'key', id: apiKeyIdOf(actor.id) } : actor;

/** The trace id of W3C Trace Context; null if the event belongs to no trace. */
export const traceIdView = ({ traceparent }: Metadata): string | null => traceparent?.split('-')[1] ?? null;

/** Callers must not see the names of machines and processes. */
const withoutWorker = (data: object): unknown => {
  const { worker: _, ...rest } = data as Record<string, unknown>;
  return rest;
};

/** An event of a history as the API returns it. */
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

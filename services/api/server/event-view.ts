import type { RecordedEvent } from '#libs/event-store/port.ts';
import { keyIdOf } from '#contracts/names.ts';

/** Which process did the work is the operator's business: machines and processes have no names outside. */
const withoutWorker = (data: unknown): unknown => {
  const { worker: _, ...shown } = data as Record<string, unknown>;
  return shown;
};

/** An event as an audit history shows it. `trace_id` is that of W3C Trace Context. */
export const eventView = ({ id, type, revision, data, metadata }: RecordedEvent) => ({
  id,
  type,
  revision,
  time: metadata.occurredAt,
  actor: metadata.actor.kind === 'key' ? { kind: 'key', id: keyIdOf(metadata.actor.id) } : metadata.actor,
  trace_id: metadata.traceparent?.split('-')[1] ?? null,
  request_id: metadata.correlationId,
  data: withoutWorker(data),
});

import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Cause } from './handle.ts';

/** What a worker does because of an event: the story goes on, in the same trace. `worker` names the process in the log. */
export const causedBy = ({ id, metadata: { accountId, correlationId, traceparent } }: RecordedEvent, worker: string): Cause => ({
  actor: { kind: 'service', name: worker },
  accountId,
  correlationId,
  causationId: id,
  traceparent,
});

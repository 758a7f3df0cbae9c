import { traceIdOf } from './traceparent.ts';

/** What a log line says of where something comes from: the request that led to it, and its trace where it has one, also while nothing is traced here. */
export const idsOf = ({ correlationId, traceparent }: { correlationId: string; traceparent: string | null }): { request_id: string; trace_id?: string } => {
  const traceId = traceIdOf(traceparent);
  return { request_id: correlationId, ...(traceId === null ? {} : { trace_id: traceId }) };
};

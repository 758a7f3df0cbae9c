import type { Attributes } from '@opentelemetry/api';
import { ApiError } from '#contracts/http/api-error.ts';
import { parseTraceparent, traceIdOf } from './traceparent.ts';

/** What spans and metrics call an error: the name of the error table, or the error's own name; never its message. */
export const errorType = (error: unknown): string =>
  error instanceof ApiError ? error.fields.name : error instanceof Error ? error.name : 'unknown';

/** What a span is to others: the SDK's own names, in lower case. */
export type SpanKindName = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export type SpanOptions = {
  name: string;
  kind?: SpanKindName;
  attributes?: Attributes;
  /** W3C `traceparent` of what led to it; unless given, or null, it is the span under way. */
  parent?: string | null | undefined;
};

/** A piece of work that is being traced. */
export type Span = {
  /** Of this span, for those who go on from here. */
  readonly traceparent: string | null;
  setAttributes(attributes: Attributes): void;
  /** Says that the work failed, by the name of the error alone: messages can hold what callers sent. */
  setError(error: unknown): void;
  /** Says that the work failed where no error was raised: `type` is one of few, such as the status of an answer. */
  setErrorType(type: string): void;
};

/** A span whose end is not that of a function: `inside` runs what belongs to it. */
export type ManualSpan = Span & { runInContext<T>(work: () => T): T; end(): void };

/** What the SDK does for us, where it is loaded. */
export type Tracer = {
  startSpan(wish: SpanOptions): ManualSpan;
  /** A span of the past, by times in milliseconds since 1970. */
  recordSpan(wish: SpanOptions, startMs: number, endMs: number): void;
  /** `traceparent` of the span under way. */
  currentTraceparent(): string | null;
  /** What the engines are called in spans. */
  otelSystemNames: { store: string; bus: string; blobs: string };
};

let tracer: Tracer | null = null;

/** Switches tracing on, or off with null. Until then nothing here allocates or loads anything. */
export const setTracer = (given: Tracer | null): void => void (tracer = given);

export const isTracingEnabled = (): boolean => tracer !== null;

export const otelSystemNames = (): Tracer['otelSystemNames'] =>
  tracer?.otelSystemNames ?? { store: '', bus: '', blobs: '' };

const noopSpan: Span = {
  traceparent: null,
  setAttributes: () => undefined,
  setError: () => undefined,
  setErrorType: () => undefined,
};

/** Does the work within a span, which ends and fails with it. With tracing off it is the work alone. */
export const withSpan = async <T>(wish: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> => {
  if (!tracer) return work(noopSpan);
  const span = tracer.startSpan(wish);
  try {
    return await span.runInContext(() => work(span));
  } catch (error) {
    span.setError(error);
    throw error;
  } finally {
    span.end();
  }
};

/** Opens a span that is ended by hand; null with tracing off. */
export const startManualSpan = (wish: SpanOptions): ManualSpan | null => tracer?.startSpan(wish) ?? null;

/** Notes work that is over already, by times in milliseconds since 1970. */
export const recordPastSpan = (wish: SpanOptions, startMs: number, endMs: number): void =>
  tracer?.recordSpan(wish, startMs, endMs);

/** `traceparent` of the span under way; null where there is none. */
export const currentTraceparent = (): string | null => tracer?.currentTraceparent() ?? null;

/** Ids for a log line: the trace of the span under way. */
export const traceLogFields = (): { trace_id?: string } => {
  const traceId = traceIdOf(currentTraceparent());
  return traceId === null ? {} : { trace_id: traceId };
};

export { parseTraceparent, traceIdOf };

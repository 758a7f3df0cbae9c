import type { Attributes } from '@opentelemetry/api';
import { ApiError } from '#contracts/http/api-error.ts';
import { traceIdOf } from './traceparent.ts';

/**
 * The error type for spans and metrics: the name in the table of errors, or the name of the Error. Never its message.
 */
export const errorType = (error: unknown): string =>
  error instanceof ApiError ? error.fields.name : error instanceof Error ? error.name : 'unknown';

/** The span kinds of the SDK in lower case. */
export type SpanKindName = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export type SpanOptions = {
  name: string;
  kind?: SpanKindName;
  attributes?: Attributes;
  /** W3C `traceparent` of the parent. Default: the current span. */
  parent?: string | null | undefined;
};

export type Span = {
  /** The `traceparent` of this span, for its children. */
  readonly traceparent: string | null;
  setAttributes(attributes: Attributes): void;
  /** Marks the span as failed, with the type of the error only: messages can contain data of callers. */
  setError(error: unknown): void;
  /** Marks the span as failed without an Error. `type` has few values, such as a response status. */
  setErrorType(type: string): void;
};

/** A span that is ended by `end`. `runInContext` runs work as part of it. */
export type ManualSpan = Span & { runInContext<T>(work: () => T): T; end(): void };

/** Implemented by the OpenTelemetry SDK, if it is loaded. */
export type Tracer = {
  startSpan(options: SpanOptions): ManualSpan;
  /** Records a past span. Times in milliseconds since 1970. */
  recordSpan(options: SpanOptions, startMs: number, endMs: number): void;
  /** The `traceparent` of the current span. */
  currentTraceparent(): string | null;
  /** The names of the engines in spans. */
  otelSystemNames: { store: string; bus: string; blobs: string };
};

let tracer: Tracer | null = null;

/** Switches tracing on, or off with null. It is off at first. */
export const setTracer = (newTracer: Tracer | null): void => void (tracer = newTracer);

export const isTracingEnabled = (): boolean => tracer !== null;

/** The names of the engines in spans; empty with tracing off. */
export const otelSystemNames = (): Tracer['otelSystemNames'] =>
  tracer?.otelSystemNames ?? { store: '', bus: '', blobs: '' };

const noopSpan: Span = {
  traceparent: null,
  setAttributes: () => undefined,
  setError: () => undefined,
  setErrorType: () => undefined,
};

/** Runs work in a span, which ends and fails with it. With tracing off, only runs the work. */
export const withSpan = async <T>(options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> => {
  if (!tracer) return work(noopSpan);
  const span = tracer.startSpan(options);
  try {
    return await span.runInContext(() => work(span));
  } catch (error) {
    span.setError(error);
    throw error;
  } finally {
    span.end();
  }
};

/** Starts a span that is ended by `end`; null with tracing off. */
export const startManualSpan = (options: SpanOptions): ManualSpan | null => tracer?.startSpan(options) ?? null;

/** Records a span of past work. Times in milliseconds since 1970. */
export const recordPastSpan = (options: SpanOptions, startMs: number, endMs: number): void =>
  tracer?.recordSpan(options, startMs, endMs);

/** The `traceparent` of the current span; null if there is none. */
export const currentTraceparent = (): string | null => tracer?.currentTraceparent() ?? null;

/** The log field with the trace id of the current span. */
export const traceLogFields = (): { trace_id?: string } => {
  const traceId = traceIdOf(currentTraceparent());
  return traceId === null ? {} : { trace_id: traceId };
};

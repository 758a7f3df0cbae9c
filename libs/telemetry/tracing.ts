import type { Attributes } from '@opentelemetry/api';
import { Problem } from '#contracts/http/problem.ts';
import { readTraceparent, traceIdOf } from './traceparent.ts';

/** What spans and metrics call an error: the name of the error table, or the error's own name; never its message. */
export const errorType = (error: unknown): string => (error instanceof Problem ? error.fault.name : error instanceof Error ? error.name : 'unknown');

/** What a span is to others: the SDK's own names, in lower case. */
export type Kind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export type SpanWish = {
  name: string;
  kind?: Kind;
  attributes?: Attributes;
  /** W3C `traceparent` of what led to it; unless given, or null, it is the span under way. */
  parent?: string | null | undefined;
};

/** A piece of work that is being traced. */
export type Span = {
  /** Of this span, for those who go on from here. */
  readonly traceparent: string | null;
  note(attributes: Attributes): void;
  /** Says that the work failed, by the name of the error alone: messages can hold what callers sent. */
  fail(error: unknown): void;
  /** Says that the work failed where no error was raised: `type` is one of few, such as the status of an answer. */
  failAs(type: string): void;
};

/** A span whose end is not that of a function: `inside` runs what belongs to it. */
export type OpenSpan = Span & { inside<T>(work: () => T): T; end(): void };

/** What the SDK does for us, where it is loaded. */
export type Tracing = {
  open(wish: SpanWish): OpenSpan;
  /** A span of the past, by times in milliseconds since 1970. */
  past(wish: SpanWish, startMs: number, endMs: number): void;
  /** `traceparent` of the span under way. */
  current(): string | null;
  /** What the engines are called in spans. */
  systems: { store: string; bus: string; blobs: string };
};

let tracing: Tracing | null = null;

/** Switches tracing on, or off with null. Until then nothing here allocates or loads anything. */
export const useTracing = (given: Tracing | null): void => void (tracing = given);

export const isTracing = (): boolean => tracing !== null;

export const systems = (): Tracing['systems'] => tracing?.systems ?? { store: '', bus: '', blobs: '' };

const untraced: Span = { traceparent: null, note: () => undefined, fail: () => undefined, failAs: () => undefined };

/** Does the work within a span, which ends and fails with it. With tracing off it is the work alone. */
export const traced = async <T>(wish: SpanWish, work: (span: Span) => Promise<T>): Promise<T> => {
  if (!tracing) return work(untraced);
  const span = tracing.open(wish);
  try {
    return await span.inside(() => work(span));
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
};

/** Opens a span that is ended by hand; null with tracing off. */
export const openSpan = (wish: SpanWish): OpenSpan | null => tracing?.open(wish) ?? null;

/** Notes work that is over already, by times in milliseconds since 1970. */
export const pastSpan = (wish: SpanWish, startMs: number, endMs: number): void => tracing?.past(wish, startMs, endMs);

/** `traceparent` of the span under way; null where there is none. */
export const currentTraceparent = (): string | null => tracing?.current() ?? null;

/** Ids for a log line: the trace of the span under way. */
export const traceFields = (): { trace_id?: string } => {
  const traceId = traceIdOf(currentTraceparent());
  return traceId === null ? {} : { trace_id: traceId };
};

export { readTraceparent, traceIdOf };

import protobuf from 'protobufjs';

/**
 * The part of opentelemetry-proto (trace and metrics, v1) that tests use, with its field numbers.
 */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message Status { string message = 2; int32 code = 3; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; Status status = 15;
  }
  message ScopeSpans { repeated Span spans = 2; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Traces { repeated ResourceSpans resource_spans = 1; }
  message Metric { string name = 1; }
  message ScopeMetrics { repeated Metric metrics = 2; }
  message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
  message Metrics { repeated ResourceMetrics resource_metrics = 1; }
`);

type KeyValue = {
  key: string;
  value: { stringValue?: string; boolValue?: boolean; intValue?: string; doubleValue?: number };
};
type RawSpan = {
  traceId: Buffer;
  spanId: Buffer;
  parentSpanId?: Buffer;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: KeyValue[];
  status?: { code?: number };
};
type RawTraces = { resourceSpans?: { resource?: { attributes?: KeyValue[] }; scopeSpans?: { spans?: RawSpan[] }[] }[] };
type RawMetrics = { resourceMetrics?: { scopeMetrics?: { metrics?: { name: string }[] }[] }[] };

export type Attributes = Record<string, string | number | boolean | undefined>;
/** A received span. `process` has the resource attributes; times are in milliseconds. */
export type ReceivedSpan = {
  traceId: string;
  id: string;
  parentId: string | null;
  name: string;
  kind: string;
  startMs: number;
  endMs: number;
  failed: boolean;
  attributes: Attributes;
  resource: Attributes;
};

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];

const attributesOf = (pairs: KeyValue[] = []): Attributes =>
  Object.fromEntries(
    pairs.map(({ key, value: { stringValue, boolValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? boolValue ?? (intValue === undefined ? doubleValue : Number(intValue)),
    ]),
  );

const read = (type: string, bytes: Uint8Array): unknown => {
  const message = root.lookupType(type);
  return message.toObject(message.decode(bytes), { longs: String, bytes: Buffer });
};

const hex = (bytes: Buffer | undefined): string | null => (bytes && bytes.length > 0 ? bytes.toString('hex') : null);
const milliseconds = (nanoseconds: string): number => Number(BigInt(nanoseconds) / 1000n) / 1000;

export const decodeTraces = (bytes: Uint8Array): ReceivedSpan[] =>
  ((read('Traces', bytes) as RawTraces).resourceSpans ?? []).flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ spans = [] }) =>
      spans.map((span) => ({
        traceId: hex(span.traceId)!,
        id: hex(span.spanId)!,
        parentId: hex(span.parentSpanId),
        name: span.name,
        kind: kinds[span.kind]!,
        startMs: milliseconds(span.startTimeUnixNano),
        endMs: milliseconds(span.endTimeUnixNano),
        failed: span.status?.code === 2,
        attributes: attributesOf(span.attributes),
        resource: attributesOf(resource?.attributes),
      })),
    ),
  );

/** The names of the received metrics. */
export const decodeMetricNames = (bytes: Uint8Array): string[] =>
  ((read('Metrics', bytes) as RawMetrics).resourceMetrics ?? []).flatMap(({ scopeMetrics = [] }) =>
    scopeMetrics.flatMap(({ metrics = [] }) => metrics.map(({ name }) => name)),
  );

import {
  type Context,
  context,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { Resource } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Settings } from '#libs/config/settings.ts';
import { errorType, type SpanKindName, type ManualSpan, type SpanOptions, type Tracer } from './tracing.ts';

type SamplerSettings = Pick<Settings, 'tracesSampler' | 'tracesSamplerArg'>;
export type TracerSettings = SamplerSettings & Pick<Settings, 'spanQueueSize' | 'spanBatchSize' | 'spanExportDelayMs'>;

const spanKinds: Record<SpanKindName, SpanKind> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

const samplerOf = ({ tracesSampler, tracesSamplerArg }: SamplerSettings): Sampler => {
  const samplerByName = (name: string): Sampler =>
    name === 'always_on'
      ? new AlwaysOnSampler()
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(tracesSamplerArg);
  const rootSampler = /^parentbased_(.+)$/.exec(tracesSampler)?.[1];
  return rootSampler === undefined
    ? samplerByName(tracesSampler)
    : new ParentBasedSampler({ root: samplerByName(rootSampler) });
};

const contextOf = (traceparent: string): Context => {
  const [, traceId, spanId, flags] = traceparent.split('-') as [string, string, string, string];
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
  });
};

const traceparentOf = (span: SdkSpan): string => {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
};

/** Exports spans in batches by OTLP over HTTP (protobuf), as the OTEL_* variables say. */
export const createOtelTracer = (
  settings: TracerSettings,
  resource: Resource,
  systems: Tracer['otelSystemNames'],
): Tracer & { close(): Promise<void> } => {
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter(),
    maxQueueSize: settings.spanQueueSize,
    maxExportBatchSize: Math.min(settings.spanBatchSize, settings.spanQueueSize),
    scheduledDelayMillis: settings.spanExportDelayMs,
  });
  const provider = new TracerProvider({ resource, sampler: samplerOf(settings), spanProcessors: [processor] });
  const tracer = provider.getTracer('colophon');
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

  const start = (
    { name, kind = 'internal', attributes = {}, parent }: SpanOptions,
    startTime?: number,
  ): { span: SdkSpan; parentContext: Context } => {
    const parentContext = parent ? contextOf(parent) : context.active();
    return {
      span: tracer.startSpan(
        name,
        { kind: spanKinds[kind], attributes, ...(startTime === undefined ? {} : { startTime }) },
        parentContext,
      ),
      parentContext,
    };
  };

  const startSpan = (options: SpanOptions): ManualSpan => {
    const { span, parentContext } = start(options);
    const spanContext = trace.setSpan(parentContext, span);
    const setErrorType = (type: string): void =>
      void span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type);
    return {
      traceparent: traceparentOf(span),
      setAttributes: (attributes) => void span.setAttributes(attributes),
      setError: (error) => setErrorType(errorType(error)),
      setErrorType,
      runInContext: (work) => context.with(spanContext, work),
      end: () => span.end(),
    };
  };

  return {
    otelSystemNames: systems,
    startSpan,
    recordSpan: (options, startMs, endMs) => start(options, startMs).span.end(endMs),
    currentTraceparent: () => {
      const span = trace.getSpan(context.active());
      return span ? traceparentOf(span) : null;
    },
    close: () => {
      // Otherwise a later tracer in this process could not set its context manager.
      context.disable();
      return provider.shutdown();
    },
  };
};

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
  const plain = (name: string): Sampler =>
    name === 'always_on'
      ? new AlwaysOnSampler()
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(tracesSamplerArg);
  const own = /^parentbased_(.+)$/.exec(tracesSampler)?.[1];
  return own === undefined ? plain(tracesSampler) : new ParentBasedSampler({ root: plain(own) });
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

/** Sends spans in batches, by OTLP over HTTP in protobuf, to where the standard variables say. */
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
  ): { span: SdkSpan; around: Context } => {
    const around = parent ? contextOf(parent) : context.active();
    return {
      span: tracer.startSpan(
        name,
        { kind: spanKinds[kind], attributes, ...(startTime === undefined ? {} : { startTime }) },
        around,
      ),
      around,
    };
  };

  const open = (wish: SpanOptions): ManualSpan => {
    const { span, around } = start(wish);
    const within = trace.setSpan(around, span);
    const failAs = (type: string): void =>
      void span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type);
    return {
      traceparent: traceparentOf(span),
      setAttributes: (attributes) => void span.setAttributes(attributes),
      setError: (error) => failAs(errorType(error)),
      setErrorType: failAs,
      runInContext: (work) => context.with(within, work),
      end: () => span.end(),
    };
  };

  return {
    otelSystemNames: systems,
    startSpan: open,
    recordSpan: (wish, startMs, endMs) => start(wish, startMs).span.end(endMs),
    currentTraceparent: () => {
      const span = trace.getSpan(context.active());
      return span ? traceparentOf(span) : null;
    },
    close: () => {
      // Or whoever traces next in this process would not get a place of its own.
      context.disable();
      return provider.shutdown();
    },
  };
};

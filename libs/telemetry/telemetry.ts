import { randomUUID } from 'node:crypto';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import type { Settings } from '#libs/config/settings.ts';
import type { Logger } from './logger.ts';
import { setMetricsRecorder, observeGauge } from './metrics.ts';
import { observeProcess } from './process-metrics.ts';
import { setTracer } from './tracing.ts';

export type TelemetrySettings = Pick<
  Settings,
  | 'otlpEndpoint'
  | 'telemetryDisabled'
  | 'tracesExporter'
  | 'metricsExporter'
  | 'metricIntervalMs'
  | 'serviceName'
  | 'tracesSampler'
  | 'tracesSamplerArg'
  | 'spanQueueSize'
  | 'spanBatchSize'
  | 'spanExportDelayMs'
  | 'eventStoreUrl'
  | 'busUrl'
  | 'blobStoreUrl'
>;

export type Telemetry = {
  /** The metrics of this process in the text format of Prometheus, as `GET /metrics` answers them. */
  metricsText(): Promise<string>;
  /** The content type of that text. */
  readonly metricsContentType: string;
  /** Sends what is left, and ends. */
  close(): Promise<void>;
};

const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

const closeTimeoutMs = 3_000;

/** Schemes that are not called as what answers there. */
const systemNamesByScheme: Record<string, string> = { tls: 'nats', esdb: 'kurrentdb', gridfs: 'mongodb' };

/** Of an address the kind of engine that it names. */
const systemNameOf = (url: string): string => {
  const scheme = url.slice(0, url.indexOf(':')).split('+')[0]!;
  return systemNamesByScheme[scheme] ?? scheme;
};

/**
 * Begins to measure this process, and to trace where there is an address to send traces to; without one nothing of the
 * tracing SDK is loaded.
 * Call it once, before engines are opened. `roles` name what the process does; `log` is told what cannot be sent.
 */
export const startTelemetry = async (
  settings: TelemetrySettings,
  roles: readonly string[],
  version: string,
  log: Pick<Logger, 'warn'>,
): Promise<Telemetry> => {
  const [{ detectResources, envDetector, resourceFromAttributes }, { createOtelMetrics }] = await Promise.all([
    import('@opentelemetry/resources'),
    import('./otel-metrics.ts'),
  ]);
  const own = {
    'service.name': settings.serviceName,
    'service.version': version,
    'service.instance.id': randomUUID(),
    'colophon.roles': roles.join(','),
  };
  const resource = detectResources({ detectors: [envDetector] }).merge(resourceFromAttributes(own));
  const sending = settings.otlpEndpoint !== undefined && !settings.telemetryDisabled;
  const telling = sending ? [(await import('./export-errors.ts')).logExportErrors(log)] : [];
  const push =
    sending && settings.metricsExporter === 'otlp'
      ? [(await import('./otlp-metric-reader.ts')).createOtlpMetricReader(settings.metricIntervalMs)]
      : [];
  const metrics = createOtelMetrics(resource, push);
  const tracing =
    sending && settings.tracesExporter === 'otlp'
      ? (await import('./otel-tracing.ts')).createOtelTracer(settings, resource, {
          store: systemNameOf(settings.eventStoreUrl),
          bus: systemNameOf(settings.busUrl),
          blobs: systemNameOf(settings.blobStoreUrl),
        })
      : null;
  setMetricsRecorder(metrics);
  setTracer(tracing);
  const stops = [observeProcess(), observeGauge('colophon.build', () => [{ value: 1, labels: { version } }])];
  return {
    metricsText: () => metrics.text(),
    metricsContentType,
    close: async () => {
      for (const stop of stops) stop();
      // A collector that does not answer must not hold up the end of the process.
      await runWithTimeout(closeTimeoutMs, () => Promise.all([metrics.close(), tracing?.close()])).catch(
        () => undefined,
      );
      for (const stop of telling) stop();
      setTracer(null);
      setMetricsRecorder(null);
    },
  };
};

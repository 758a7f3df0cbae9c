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
  /** The metrics of this process in the text format of Prometheus, for GET /metrics. */
  metricsText(): Promise<string>;
  readonly metricsContentType: string;
  /** Sends the remaining data and stops. */
  close(): Promise<void>;
};

const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

const closeTimeoutMs = 3_000;

/** Engine names that differ from the URL scheme. */
const systemNamesByScheme: Record<string, string> = { tls: 'nats', esdb: 'kurrentdb', gridfs: 'mongodb' };

/** The name of the engine at a URL. */
const systemNameOf = (url: string): string => {
  const scheme = url.slice(0, url.indexOf(':')).split('+')[0]!;
  return systemNamesByScheme[scheme] ?? scheme;
};

/**
 * Starts metrics, and tracing if an OTLP endpoint is set; without one the tracing SDK is not loaded. Call it once,
 * before engines are opened. `logger` gets export errors.
 */
export const startTelemetry = async (
  settings: TelemetrySettings,
  roles: readonly string[],
  version: string,
  logger: Pick<Logger, 'warn'>,
): Promise<Telemetry> => {
  const [{ detectResources, envDetector, resourceFromAttributes }, { createOtelMetrics }] = await Promise.all([
    import('@opentelemetry/resources'),
    import('./otel-metrics.ts'),
  ]);
  const attributes = {
    'service.name': settings.serviceName,
    'service.version': version,
    'service.instance.id': randomUUID(),
    'colophon.roles': roles.join(','),
  };
  const resource = detectResources({ detectors: [envDetector] }).merge(resourceFromAttributes(attributes));
  const isExporting = settings.otlpEndpoint !== undefined && !settings.telemetryDisabled;
  const errorLoggers = isExporting ? [(await import('./export-errors.ts')).logExportErrors(logger)] : [];
  const readers =
    isExporting && settings.metricsExporter === 'otlp'
      ? [(await import('./otlp-metric-reader.ts')).createOtlpMetricReader(settings.metricIntervalMs)]
      : [];
  const metrics = createOtelMetrics(resource, readers);
  const tracer =
    isExporting && settings.tracesExporter === 'otlp'
      ? (await import('./otel-tracing.ts')).createOtelTracer(settings, resource, {
          store: systemNameOf(settings.eventStoreUrl),
          bus: systemNameOf(settings.busUrl),
          blobs: systemNameOf(settings.blobStoreUrl),
        })
      : null;
  setMetricsRecorder(metrics);
  setTracer(tracer);
  const stops = [observeProcess(), observeGauge('colophon.build', () => [{ value: 1, labels: { version } }])];
  return {
    metricsText: () => metrics.text(),
    metricsContentType,
    close: async () => {
      for (const stop of stops) stop();
      // A collector that does not respond must not delay the end of the process.
      await runWithTimeout(closeTimeoutMs, () => Promise.all([metrics.close(), tracer?.close()])).catch(
        () => undefined,
      );
      for (const stop of errorLoggers) stop();
      setTracer(null);
      setMetricsRecorder(null);
    },
  };
};

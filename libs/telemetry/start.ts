import { randomUUID } from 'node:crypto';
import { withTimeout } from '#libs/concurrency/timeout.ts';
import type { Settings } from '#libs/config/settings.ts';
import type { Logger } from './log.ts';
import { useMetering, watchGauge } from './metrics.ts';
import { watchProcess } from './process-metrics.ts';
import { useTracing } from './tracing.ts';

export type TelemetrySettings = Pick<
  Settings,
  'otlpEndpoint' | 'otelDisabled' | 'tracesExporter' | 'metricsExporter' | 'metricIntervalMs' | 'serviceName' | 'tracesSampler' | 'tracesSamplerArg' | 'spanQueueSize' | 'spanBatchSize' | 'spanDelayMs' | 'eventStoreUrl' | 'busUrl' | 'blobStoreUrl'
>;

export type Telemetry = {
  /** The metrics of this process in the text format of Prometheus, as `GET /metrics` answers them. */
  metricsText(): Promise<string>;
  /** The content type of that text. */
  readonly metricsType: string;
  /** Sends what is left, and ends. */
  close(): Promise<void>;
};

const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

const longestCloseMs = 3_000;

/** Schemes that are not called as what answers there. */
const otherNames: Record<string, string> = { tls: 'nats', esdb: 'kurrentdb', gridfs: 'mongodb' };

/** Of an address the kind of engine that it names. */
const systemOf = (url: string): string => {
  const scheme = url.slice(0, url.indexOf(':')).split('+')[0]!;
  return otherNames[scheme] ?? scheme;
};

/**
 * Begins to measure this process, and to trace where there is an address to send traces to; without one nothing of the tracing SDK is loaded.
 * Call it once, before engines are opened. `roles` name what the process does; `log` is told what cannot be sent.
 */
export const startTelemetry = async (settings: TelemetrySettings, roles: readonly string[], version: string, log: Pick<Logger, 'warn'>): Promise<Telemetry> => {
  const [{ detectResources, envDetector, resourceFromAttributes }, { openMetrics }] = await Promise.all([import('@opentelemetry/resources'), import('./open-metrics.ts')]);
  const own = { 'service.name': settings.serviceName, 'service.version': version, 'service.instance.id': randomUUID(), 'colophon.roles': roles.join(',') };
  const resource = detectResources({ detectors: [envDetector] }).merge(resourceFromAttributes(own));
  const sending = settings.otlpEndpoint !== undefined && !settings.otelDisabled;
  const telling = sending ? [(await import('./unsent.ts')).tellOfUnsent(log)] : [];
  const push = sending && settings.metricsExporter === 'otlp' ? [(await import('./push-metrics.ts')).pushMetrics(settings.metricIntervalMs)] : [];
  const metrics = openMetrics(resource, push);
  const tracing = sending && settings.tracesExporter === 'otlp' ? (await import('./open-tracing.ts')).openTracing(settings, resource, { store: systemOf(settings.eventStoreUrl), bus: systemOf(settings.busUrl), blobs: systemOf(settings.blobStoreUrl) }) : null;
  useMetering(metrics);
  useTracing(tracing);
  const stops = [watchProcess(), watchGauge('colophon.build', () => [{ value: 1, labels: { version } }])];
  return {
    metricsText: () => metrics.text(),
    metricsType,
    close: async () => {
      for (const stop of stops) stop();
      // A collector that does not answer must not hold up the end of the process.
      await withTimeout(longestCloseMs, () => Promise.all([metrics.close(), tracing?.close()])).catch(() => undefined);
      for (const stop of telling) stop();
      useTracing(null);
      useMetering(null);
    },
  };
};

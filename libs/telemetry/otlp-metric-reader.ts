import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { MetricReaderFactory } from './otel-metrics.ts';

/** Sends metrics every so many milliseconds, by OTLP over HTTP in protobuf, to where the standard variables say. */
export const createOtlpMetricReader =
  (everyMs: number): MetricReaderFactory =>
  (passed) => {
    const exporter = new OTLPMetricExporter();
    const send = exporter.export.bind(exporter);
    exporter.export = (metrics, done) => send(passed(metrics), done);
    return new PeriodicExportingMetricReader({
      exporter,
      exportIntervalMillis: everyMs,
      exportTimeoutMillis: Math.min(everyMs, 30_000),
    });
  };

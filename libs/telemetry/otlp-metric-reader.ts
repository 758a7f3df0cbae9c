import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { MetricReaderFactory } from './otel-metrics.ts';

/** Exports metrics every `intervalMs` by OTLP over HTTP (protobuf), as the OTEL_* variables say. */
export const createOtlpMetricReader =
  (intervalMs: number): MetricReaderFactory =>
  (filter) => {
    const exporter = new OTLPMetricExporter();
    const send = exporter.export.bind(exporter);
    exporter.export = (metrics, done) => send(filter(metrics), done);
    return new PeriodicExportingMetricReader({
      exporter,
      exportIntervalMillis: intervalMs,
      exportTimeoutMillis: Math.min(intervalMs, 30_000),
    });
  };

import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { type IMetricReader, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';

/** Sends metrics every so many milliseconds, by OTLP over HTTP in protobuf, to where the standard variables say. */
export const pushMetrics = (everyMs: number): IMetricReader =>
  new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter(), exportIntervalMillis: everyMs, exportTimeoutMillis: Math.min(everyMs, 30_000) });

import type { Attributes } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { Resource } from '@opentelemetry/resources';
import {
  DataPointType,
  type IMetricReader,
  MeterProvider,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { counters, gauges, cumulativeGauges, histograms } from './metric-definitions.ts';
import { type CounterName, type HistogramName, type MetricsRecorder, readGauge, type GaugeValue } from './metrics.ts';

const labelSetKey = (labels: Attributes): string =>
  JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/**
 * The SDK keeps exporting the last value of a gauge that can no longer be read, for instance because another process is
 * the leader now. `removeStale` keeps only the gauge values that the last collection has read.
 */
const createStaleGaugeFilter = () => {
  const seen = new Map<string, Set<string>>();
  return {
    recordRead: (name: string, values: readonly GaugeValue[]): void =>
      void seen.set(name, new Set(values.map(({ labels }) => labelSetKey(labels ?? {})))),
    removeStale: (metrics: ResourceMetrics): ResourceMetrics => ({
      ...metrics,
      scopeMetrics: metrics.scopeMetrics.map((scope) => ({
        ...scope,
        metrics: scope.metrics.flatMap((metric): MetricData[] => {
          if (metric.dataPointType !== DataPointType.GAUGE) return [metric];
          const dataPoints = metric.dataPoints.filter(({ attributes }) =>
            seen.get(metric.descriptor.name)?.has(labelSetKey(attributes)),
          );
          return dataPoints.length === 0 ? [] : [{ ...metric, dataPoints }];
        }),
      })),
    }),
  };
};

const bucketBoundaries = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** More than the number of label sets, so that the SDK never merges series. */
const maxSeries = 2_000;

const allLabelSets = (labels: Readonly<Record<string, readonly string[] | 'free'>>): Attributes[] =>
  Object.entries(labels).reduce<Attributes[]>(
    (sets, [name, values]) =>
      values === 'free' ? [] : sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value }))),
    [{}],
  );

const entriesOf = <N extends string, E>(table: Record<N, E>): [N, E][] => Object.entries(table) as [N, E][];

const unitSuffix: Record<string, string> = { s: '.seconds', By: '.bytes', '1': '.ratio' };

/**
 * Adds the unit to the names, as all OpenTelemetry exporters for Prometheus do. The serializer does not.
 */
const withUnitInName = (metrics: ResourceMetrics): ResourceMetrics => ({
  ...metrics,
  scopeMetrics: metrics.scopeMetrics.map((scope) => ({
    ...scope,
    metrics: scope.metrics.map((metric) => ({
      ...metric,
      descriptor: {
        ...metric.descriptor,
        name: `${metric.descriptor.name}${unitSuffix[metric.descriptor.unit] ?? ''}`,
        unit: '',
      },
    })),
  })),
});

export type OtelMetrics = MetricsRecorder & {
  /** The current metrics in the text format of Prometheus. */
  text(): Promise<string>;
  close(): Promise<void>;
};

/** Creates a reader that exports the metrics after `filter`. */
export type MetricReaderFactory = (filter: (metrics: ResourceMetrics) => ResourceMetrics) => IMetricReader;

/** Creates the metrics of metric-definitions.ts, for Prometheus and for the given readers. */
export const createOtelMetrics = (resource: Resource, readerFactories: MetricReaderFactory[] = []): OtelMetrics => {
  const gaugeFilter = createStaleGaugeFilter();
  const prometheusReader = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({
    resource,
    readers: [prometheusReader, ...readerFactories.map((create) => create(gaugeFilter.removeStale))],
    views: [{ instrumentName: '*', aggregationCardinalityLimit: maxSeries }],
  });
  const meter = provider.getMeter('colophon');
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);

  const counterInstruments = Object.fromEntries(
    entriesOf(counters).map(([name, { description, unit }]) => [
      name,
      meter.createCounter(name, { description, unit }),
    ]),
  ) as Record<CounterName, ReturnType<typeof meter.createCounter>>;
  for (const [name, { labels }] of entriesOf(counters))
    for (const set of allLabelSets(labels)) counterInstruments[name].add(0, set);

  const histogramInstruments = Object.fromEntries(
    entriesOf(histograms).map(([name, { description, unit }]) => [
      name,
      meter.createHistogram(name, { description, unit, advice: { explicitBucketBoundaries: bucketBoundaries } }),
    ]),
  ) as Record<HistogramName, ReturnType<typeof meter.createHistogram>>;

  for (const [name, { description, unit }] of entriesOf(gauges)) {
    const options = { description, unit };
    const instrument = cumulativeGauges.has(name)
      ? meter.createObservableCounter(name, options)
      : meter.createObservableGauge(name, options);
    instrument.addCallback(async (result) => {
      const values = await readGauge(name);
      gaugeFilter.recordRead(name, values);
      for (const { value, labels } of values) result.observe(value, labels ?? {});
    });
  }

  const collect = async (): Promise<string> =>
    serializer.serialize(withUnitInName(gaugeFilter.removeStale((await prometheusReader.collect()).resourceMetrics)));
  let running: Promise<string> | null = null;

  return {
    add: (name, by, labels) => counterInstruments[name].add(by, labels),
    record: (name, value, labels) => histogramInstruments[name].record(value, labels),
    // Some gauges query engines, so concurrent requests share one collection.
    text: () => (running ??= collect().finally(() => (running = null))),
    close: () => provider.shutdown(),
  };
};

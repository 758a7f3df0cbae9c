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
 * The SDK goes on telling the last value of a gauge that nobody can look at any more: of an office that another process
 * holds now, of an engine that is away.
 * `only` leaves of gauges what was seen the last time they were looked at.
 */
const createStaleGaugeFilter = () => {
  const seen = new Map<string, Set<string>>();
  return {
    note: (name: string, readings: readonly GaugeValue[]): void =>
      void seen.set(name, new Set(readings.map(({ labels }) => labelSetKey(labels ?? {})))),
    only: (metrics: ResourceMetrics): ResourceMetrics => ({
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

/** More than there are label sets, so that none is ever gathered into "other". */
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
 * With the unit in the name, as everything that brings OpenTelemetry to Prometheus writes it; the serialiser leaves it
 * out.
 */
const withUnitInName = (found: ResourceMetrics): ResourceMetrics => ({
  ...found,
  scopeMetrics: found.scopeMetrics.map((scope) => ({
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
  /** All metrics as they are now, in the text format of Prometheus. */
  text(): Promise<string>;
  close(): Promise<void>;
};

/** A reader that sends metrics away, once they are `passed` through what it is given. */
export type MetricReaderFactory = (passed: (metrics: ResourceMetrics) => ResourceMetrics) => IMetricReader;

/** Keeps the metrics of the table, for whoever asks for the text and for those that send them away beside. */
export const createOtelMetrics = (resource: Resource, pushing: MetricReaderFactory[] = []): OtelMetrics => {
  const seen = createStaleGaugeFilter();
  const asked = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({
    resource,
    readers: [asked, ...pushing.map((open) => open(seen.only))],
    views: [{ instrumentName: '*', aggregationCardinalityLimit: maxSeries }],
  });
  const meter = provider.getMeter('colophon');
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);

  const counting = Object.fromEntries(
    entriesOf(counters).map(([name, { description: about, unit }]) => [
      name,
      meter.createCounter(name, { description: about, unit }),
    ]),
  ) as Record<CounterName, ReturnType<typeof meter.createCounter>>;
  for (const [name, { labels }] of entriesOf(counters))
    for (const set of allLabelSets(labels)) counting[name].add(0, set);

  const recording = Object.fromEntries(
    entriesOf(histograms).map(([name, { description: about, unit }]) => [
      name,
      meter.createHistogram(name, { description: about, unit, advice: { explicitBucketBoundaries: bucketBoundaries } }),
    ]),
  ) as Record<HistogramName, ReturnType<typeof meter.createHistogram>>;

  for (const [name, { description: about, unit }] of entriesOf(gauges)) {
    const options = { description: about, unit };
    const instrument = cumulativeGauges.has(name)
      ? meter.createObservableCounter(name, options)
      : meter.createObservableGauge(name, options);
    instrument.addCallback(async (result) => {
      const readings = await readGauge(name);
      seen.note(name, readings);
      for (const { value, labels } of readings) result.observe(value, labels ?? {});
    });
  }

  const collected = async (): Promise<string> =>
    serializer.serialize(withUnitInName(seen.only((await asked.collect()).resourceMetrics)));
  let underWay: Promise<string> | null = null;

  return {
    add: (name, by, labels) => counting[name].add(by, labels),
    record: (name, value, labels) => recording[name].record(value, labels),
    // Anybody may ask, and some gauges ask engines: those who come together get one answer.
    text: () => (underWay ??= collected().finally(() => (underWay = null))),
    close: () => provider.shutdown(),
  };
};

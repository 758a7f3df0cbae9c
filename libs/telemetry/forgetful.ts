import type { Attributes } from '@opentelemetry/api';
import { DataPointType, type MetricData, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { Reading } from './metrics.ts';

const keyOf = (labels: Attributes): string => JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/**
 * The SDK goes on telling the last value of a gauge that nobody can look at any more: of an office that another process holds now, of an engine that is away.
 * `only` leaves of gauges what was seen the last time they were looked at.
 */
export const forgetful = () => {
  const seen = new Map<string, Set<string>>();
  return {
    note: (name: string, readings: readonly Reading[]): void => void seen.set(name, new Set(readings.map(({ labels }) => keyOf(labels ?? {})))),
    only: (metrics: ResourceMetrics): ResourceMetrics => ({
      ...metrics,
      scopeMetrics: metrics.scopeMetrics.map((scope) => ({
        ...scope,
        metrics: scope.metrics.flatMap((metric): MetricData[] => {
          if (metric.dataPointType !== DataPointType.GAUGE) return [metric];
          const dataPoints = metric.dataPoints.filter(({ attributes }) => seen.get(metric.descriptor.name)?.has(keyOf(attributes)));
          return dataPoints.length === 0 ? [] : [{ ...metric, dataPoints }];
        }),
      })),
    }),
  };
};

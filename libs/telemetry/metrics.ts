import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import type { counters, gauges, histograms, LabelsOf } from './metric-definitions.ts';

export type CounterName = keyof typeof counters;
export type HistogramName = keyof typeof histograms;
export type GaugeName = keyof typeof gauges;

type Labels = Readonly<Record<string, string>>;

/** Implemented by the OpenTelemetry SDK, if it is loaded. */
export type MetricsRecorder = {
  add(name: CounterName, by: number, labels: Labels): void;
  record(name: HistogramName, value: number, labels: Labels): void;
};

export type GaugeValue = { value: number; labels?: Labels };
type GaugeCallback = () => GaugeValue[] | Promise<GaugeValue[]>;

let metricsRecorder: MetricsRecorder | null = null;
const gaugeCallbacks = new Map<GaugeName, Set<GaugeCallback>>();

/** Switches metrics on, or off with null. They are off at first. */
export const setMetricsRecorder = (recorder: MetricsRecorder | null): void => void (metricsRecorder = recorder);

/** Adds to a counter. */
export const count = <N extends CounterName>(name: N, by: number, labels: LabelsOf<(typeof counters)[N]>): void =>
  metricsRecorder?.add(name, by, labels as unknown as Labels);

/** Records a value of a histogram, in seconds. */
export const record = <N extends HistogramName>(
  name: N,
  seconds: number,
  labels: LabelsOf<(typeof histograms)[N]>,
): void => metricsRecorder?.record(name, seconds, labels as unknown as Labels);

/** Calls `readValues` whenever the metrics are collected. Returns a function that stops this. */
export const observeGauge = (name: GaugeName, readValues: GaugeCallback): (() => void) => {
  const all = gaugeCallbacks.get(name) ?? new Set();
  gaugeCallbacks.set(name, all.add(readValues));
  return () => void all.delete(readValues);
};

const gaugeTimeoutMs = 2_000;

/**
 * The current values of a gauge. Values that cannot be read in time are left out, so that an unavailable engine does
 * not delay the others.
 */
export const readGauge = async (name: GaugeName): Promise<GaugeValue[]> => {
  const results = await Promise.allSettled(
    [...(gaugeCallbacks.get(name) ?? [])].map((readValues) => runWithTimeout(gaugeTimeoutMs, async () => readValues())),
  );
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
};

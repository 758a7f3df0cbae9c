import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import type { counters, gauges, histograms, LabelsOf } from './metric-definitions.ts';

export type CounterName = keyof typeof counters;
export type HistogramName = keyof typeof histograms;
export type GaugeName = keyof typeof gauges;

type Labels = Readonly<Record<string, string>>;

/** What the SDK does for us, where it is loaded. */
export type MetricsRecorder = {
  add(name: CounterName, by: number, labels: Labels): void;
  record(name: HistogramName, value: number, labels: Labels): void;
};

/** One value of a gauge as it is now. */
export type GaugeValue = { value: number; labels?: Labels };
type GaugeCallback = () => GaugeValue[] | Promise<GaugeValue[]>;

let metricsRecorder: MetricsRecorder | null = null;
const gaugeCallbacks = new Map<GaugeName, Set<GaugeCallback>>();

/** Switches metrics on, or off with null. Until then nothing is counted. */
export const setMetricsRecorder = (given: MetricsRecorder | null): void => void (metricsRecorder = given);

/** Adds to a counter of the table. */
export const count = <N extends CounterName>(name: N, by: number, labels: LabelsOf<(typeof counters)[N]>): void =>
  metricsRecorder?.add(name, by, labels as unknown as Labels);

/** Notes one value of a histogram of the table, in seconds. */
export const record = <N extends HistogramName>(
  name: N,
  seconds: number,
  labels: LabelsOf<(typeof histograms)[N]>,
): void => metricsRecorder?.record(name, seconds, labels as unknown as Labels);

/** Has a gauge of the table looked at whenever metrics are asked for; returns what ends that. */
export const observeGauge = (name: GaugeName, look: GaugeCallback): (() => void) => {
  const all = gaugeCallbacks.get(name) ?? new Set();
  gaugeCallbacks.set(name, all.add(look));
  return () => void all.delete(look);
};

const gaugeTimeoutMs = 2_000;

/**
 * The gauge as it is now. An engine that is away does not hold up what the others have to tell: what cannot be looked
 * at, or not soon, is left out.
 */
export const readGauge = async (name: GaugeName): Promise<GaugeValue[]> => {
  const answers = await Promise.allSettled(
    [...(gaugeCallbacks.get(name) ?? [])].map((look) => runWithTimeout(gaugeTimeoutMs, async () => look())),
  );
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
};

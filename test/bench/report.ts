import type { Measurement } from './raw-limit.ts';

const targets: { isKept: boolean; text: string }[] = [];

/** Prints one measurement. */
export const printMeasurement = (name: string, { concurrency, documentsPerSecond, p50Ms, p99Ms }: Measurement): void =>
  console.log(
    `  ${name.padEnd(34)} ${concurrency} at once  ${documentsPerSecond.toFixed(1).padStart(7)} /s   ` +
      `p50 ${p50Ms.toFixed(1)} ms   p99 ${p99Ms.toFixed(1)} ms`,
  );

const roundedText = (measured: number, unit: string): string => `${Number(measured.toPrecision(3))}${unit}`;

/** Prints a measured value that has no target. */
export const printFigure = (what: string, measured: number, unit = ''): void =>
  console.log(`  ${what}: ${roundedText(measured, unit)}`);

/** Prints a target with the measured value, and whether it is kept. */
export const printTarget = (
  what: string,
  measured: number,
  bound: 'at least' | 'at most',
  target: number,
  unit = '',
): void => {
  const isKept = bound === 'at least' ? measured >= target : measured <= target;
  const text = `${isKept ? 'kept    ' : 'NOT KEPT'}  ${what}: ${roundedText(measured, unit)} (${bound} ${target}${unit})`;
  targets.push({ isKept, text });
  console.log(`  ${text}`);
};

export const printHeading = (text: string): void => console.log(`\n${text}`);

/** Prints all targets of the run, those that are not kept last. Sets the exit code to 1 if there are any. */
export const printAllTargets = (): void => {
  const missed = targets.filter(({ isKept }) => !isKept);
  printHeading(`Targets: ${targets.length - missed.length} of ${targets.length} are kept`);
  for (const { text } of [...targets.filter(({ isKept }) => isKept), ...missed]) console.log(`  ${text}`);
  if (missed.length > 0) process.exitCode = 1;
};

export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};
export const median = (values: readonly number[]): number => quantile(values, 0.5);

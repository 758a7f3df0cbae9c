import type { Measurement } from './raw-limit.ts';

const targets: { kept: boolean; text: string }[] = [];

/** Prints one measured figure. */
export const printMeasurement = (name: string, { concurrency, documentsPerSecond, p50Ms, p99Ms }: Measurement): void =>
  console.log(
    `  ${name.padEnd(34)} ${concurrency} at once  ${documentsPerSecond.toFixed(1).padStart(7)} /s   p50 ${p50Ms.toFixed(1)} ms   p99 ${p99Ms.toFixed(1)} ms`,
  );

/** Prints what was promised, what was measured, and whether the one holds the other. */
export const printTarget = (
  what: string,
  measured: number,
  bound: 'at least' | 'at most',
  promised: number,
  unit = '',
): void => {
  const kept = bound === 'at least' ? measured >= promised : measured <= promised;
  const text = `${kept ? 'kept  ' : 'BROKEN'}  ${what}: ${Number(measured.toPrecision(3))}${unit} (${bound} ${promised}${unit})`;
  targets.push({ kept, text });
  console.log(`  ${text}`);
};

export const printHeading = (text: string): void => console.log(`\n${text}`);

/** All promises once more, at the end of a run. */
export const printAllTargets = (): void => {
  printHeading('All promises');
  for (const { text } of targets) console.log(`  ${text}`);
};

export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

import type { Report } from './logger.ts';

/** Reports that aggregate equal warnings. */
export type AggregatedReport = { report: Report; /** Reports the remaining counts. */ close(): void };

const defaultIntervalMs = 60_000;
const maxKinds = 1_000;

/** Warnings that differ only in numbers, ids and hashes are of one kind. */
const warningKind = (fields: Record<string, unknown>, message: string): string =>
  `${message} ${(JSON.stringify(fields['error']) ?? '').replace(/[0-9a-f]{8,}|[0-9A-Z]{26}|\d+/g, '#')}`;

type AggregatedWarning = { occurrences: number; fields: Record<string, unknown>; message: string };

/**
 * Reports a warning once, and then once per interval with the number of its further occurrences (`occurrences`).
 * Warnings are equal if their message and `error` differ only in numbers and ids. Errors are always reported.
 */
export const aggregateRepeatedWarnings = (report: Report, intervalMs = defaultIntervalMs): AggregatedReport => {
  const counted = new Map<string, AggregatedWarning>();
  let timer: NodeJS.Timeout | undefined;

  const reportCounts = (): void => {
    for (const [kind, warning] of counted) {
      if (warning.occurrences > 0) report({ ...warning.fields, occurrences: warning.occurrences }, warning.message);
      // A kind that did not occur in a whole interval is new the next time.
      if (warning.occurrences > 0) warning.occurrences = 0;
      else counted.delete(kind);
    }
    if (counted.size === 0) stop();
  };
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };

  return {
    report: (fields, message, level = 'warn') => {
      if (level === 'error') return report(fields, message, level);
      const kind = warningKind(fields, message);
      const known = counted.get(kind);
      if (known)
        return void Object.assign(known, {
          occurrences: known.occurrences + 1,
          fields,
        } satisfies Partial<AggregatedWarning>);
      report(fields, message, level);
      if (counted.size >= maxKinds) return;
      counted.set(kind, { occurrences: 0, fields, message });
      timer ??= setInterval(reportCounts, intervalMs).unref();
    },
    close: () => {
      reportCounts();
      stop();
    },
  };
};

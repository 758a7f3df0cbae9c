import type { Report } from './logger.ts';

/** Reports, with equal warnings counted. */
export type AggregatedReport = { report: Report; /** Reports what was counted so far. */ close(): void };

const defaultIntervalMs = 60_000;
const maxKinds = 1_000;

/** Numbers, ids and hashes make two lines of one kind. */
const warningKind = (fact: Record<string, unknown>, message: string): string =>
  `${message} ${(JSON.stringify(fact['error']) ?? '').replace(/[0-9a-f]{8,}|[0-9A-Z]{26}|\d+/g, '#')}`;

type AggregatedWarning = { occurrences: number; fields: Record<string, unknown>; message: string };

/**
 * Warnings of a kind are reported once, and then once every `everyMs` with how often they came meanwhile
 * (`occurrences`), as long as they come. Two are of one kind whose message
 * and `error` differ in numbers and ids alone. Errors are all reported.
 */
export const aggregateRepeatedWarnings = (report: Report, everyMs = defaultIntervalMs): AggregatedReport => {
  const counted = new Map<string, AggregatedWarning>();
  let timer: NodeJS.Timeout | undefined;

  const tell = (): void => {
    for (const [kind, one] of counted) {
      if (one.occurrences > 0) report({ ...one.fields, occurrences: one.occurrences }, one.message);
      // What did not come for a whole period is new when it comes again.
      if (one.occurrences > 0) one.occurrences = 0;
      else counted.delete(kind);
    }
    if (counted.size === 0) stop();
  };
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };

  return {
    report: (fact, message, level = 'warn') => {
      if (level === 'error') return report(fact, message, level);
      const kind = warningKind(fact, message);
      const known = counted.get(kind);
      if (known)
        return void Object.assign(known, {
          occurrences: known.occurrences + 1,
          fields: fact,
        } satisfies Partial<AggregatedWarning>);
      report(fact, message, level);
      if (counted.size >= maxKinds) return;
      counted.set(kind, { occurrences: 0, fields: fact, message });
      timer ??= setInterval(tell, everyMs).unref();
    },
    close: () => {
      tell();
      stop();
    },
  };
};

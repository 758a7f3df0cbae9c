import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { Logger } from './logger.ts';

/** A collector that is away for an hour shall not fill the log. */
const minIntervalMs = 60_000;

const maxMessageLength = 200;

/**
 * The SDK hands errors on as JSON with their stack, and what a collector answered in it; of those the message and the
 * code are enough.
 */
const errorMessageOf = (told: string): string => {
  try {
    const { message, code } = JSON.parse(told) as { message?: string; code?: string };
    return [message, code]
      .filter((word) => word !== undefined)
      .join(', ')
      .slice(0, maxMessageLength);
  } catch {
    return told.slice(0, maxMessageLength);
  }
};

/** Has the log say, once a minute at most, that traces or metrics could not be sent. Returns what ends that. */
export const logExportErrors = (log: Pick<Logger, 'warn'>): (() => void) => {
  let toldAt = -Infinity;
  const tell = (told: string): void => {
    if (performance.now() - toldAt < minIntervalMs) return;
    toldAt = performance.now();
    log.warn(
      { error: errorMessageOf(told) },
      'telemetry could not be sent; is OTEL_EXPORTER_OTLP_ENDPOINT right, the collector up, and are its headers ' +
        'those of OTEL_EXPORTER_OTLP_HEADERS? Work goes on without',
    );
  };
  const silent = (): void => undefined;
  diag.setLogger(
    { error: tell, warn: tell, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  return () => diag.disable();
};

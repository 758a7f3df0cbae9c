import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { Logger } from './logger.ts';

/** Limits the log lines while a collector is unavailable. */
const minIntervalMs = 60_000;

const maxMessageLength = 200;

/** The SDK reports errors as JSON with stack and response. Only message and code are logged. */
const errorMessageOf = (text: string): string => {
  try {
    const { message, code } = JSON.parse(text) as { message?: string; code?: string };
    return [message, code]
      .filter((part) => part !== undefined)
      .join(', ')
      .slice(0, maxMessageLength);
  } catch {
    return text.slice(0, maxMessageLength);
  }
};

/** Logs export errors of traces and metrics, at most once a minute. Returns a function that stops it. */
export const logExportErrors = (logger: Pick<Logger, 'warn'>): (() => void) => {
  let lastLoggedAt = -Infinity;
  const logError = (text: string): void => {
    if (performance.now() - lastLoggedAt < minIntervalMs) return;
    lastLoggedAt = performance.now();
    logger.warn(
      { error: errorMessageOf(text) },
      'telemetry could not be sent; check the collector, OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS',
    );
  };
  const silent = (): void => undefined;
  diag.setLogger(
    { error: logError, warn: logError, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  return () => diag.disable();
};

import pRetry from 'p-retry';
import { ApiError } from '#contracts/http/api-error.ts';
import { BlobNotFound } from '#libs/blob-store/port.ts';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import { type DiskMonitor, DiskWriteError } from '#libs/disk/disk-monitor.ts';
import { EventTooLarge, RevisionConflict } from '#libs/event-store/port.ts';
import { isRemoteEngine } from './remote.ts';

const declaredErrors = [ApiError, RevisionConflict, EventTooLarge, BlobNotFound];
const programmingErrors = [TypeError, RangeError, ReferenceError, SyntaxError];

/**
 * Whether an operation failed because of the server and may succeed later. Each driver has other errors for an unavailable
 * server. So every error counts, except those that a port declares and programming errors.
 */
export const isServerFailure = (error: unknown): boolean =>
  ![...declaredErrors, ...programmingErrors].some((kind) => error instanceof kind);

type Operation = (...given: unknown[]) => Promise<unknown>;

/** Operations that return no promise, have no time limit, or close the engine. */
const undecorated: ReadonlySet<string> = new Set(['subscribe', 'readCached', 'missing', 'close']);

/** The engine with all other operations wrapped by `wrap`. */
const decorate = <E extends object>(engine: E, wrap: (operation: Operation, name: string) => Operation): E => {
  const isDecorated = (name: string, value: unknown): value is Operation =>
    typeof value === 'function' && !undecorated.has(name);
  return Object.fromEntries(
    Object.entries(engine).map(([name, value]) => [name, isDecorated(name, value) ? wrap(value, name) : value]),
  ) as E;
};

/** In milliseconds: the first and the longest delay, and how long to retry on an unavailable server. */
export type RetryOptions = { minDelayMs: number; maxDelayMs: number; maxRetryTimeMs: number };
const defaultRetryOptions: RetryOptions = { minDelayMs: 50, maxDelayMs: 2_000, maxRetryTimeMs: 15 * 60_000 };

/**
 * An engine for workers: while a server is unavailable or a disk is full, operations are retried, so that a worker can
 * finish its task later. All operations can be repeated, because appends have event ids and blobs have hashes. After
 * `signal` has aborted, the next failure is thrown.
 */
export const withRetry = <E extends object>(
  engine: E,
  signal: AbortSignal,
  { minDelayMs, maxDelayMs, maxRetryTimeMs }: RetryOptions = defaultRetryOptions,
): E =>
  decorate(engine, (operation) => (...given) => {
    const deadline = performance.now() + maxRetryTimeMs;
    const isUnavailable = (error: unknown): boolean =>
      isRemoteEngine(engine) && isServerFailure(error) && performance.now() <= deadline;
    return pRetry(() => operation(...given), {
      retries: Infinity,
      minTimeout: minDelayMs,
      maxTimeout: maxDelayMs,
      shouldRetry: ({ error }) => !signal.aborted && (error instanceof DiskWriteError || isUnavailable(error)),
    });
  });

/** A server whose operations fail with a TimeoutError after `ms()` milliseconds. Embedded engines do not change. */
export const withTimeout = <E extends object>(engine: E, ms: () => number): E =>
  isRemoteEngine(engine)
    ? decorate(
        engine,
        (operation) =>
          (...given) =>
            runWithTimeout(ms(), () => operation(...given)),
      )
    : engine;

/** An embedded engine that reports its errors to the disk monitor. Operations fail with DiskWriteError when the disk is full. */
export const withDiskErrors = <E extends object>(engine: E, disk: DiskMonitor): E => {
  const recordErrors =
    <A extends unknown[], T>(operation: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      try {
        return await operation(...given);
      } catch (error) {
        throw disk.recordError(error);
      }
    };
  return decorate(engine, recordErrors);
};

export type AvailabilityOptions = {
  /** Why servers do not serve callers yet; null when they do. */
  notServingReason: () => string | null;
  /** Monitors the disk of the embedded engines. */
  disk: DiskMonitor;
  /** Gets the error of the driver; the caller only gets service_unavailable. */
  reportError: (error: unknown) => void;
};

const unavailableError = (reason: string, retryAfterSeconds: number): ApiError =>
  ApiError.of('service_unavailable', reason, { retry_after: retryAfterSeconds });
const diskFullError = (): ApiError =>
  unavailableError(
    'The disk of the service is full. The request was not accepted; stored data can still be read. Try again later.',
    10,
  );
const serverUnavailableError = (): ApiError =>
  unavailableError('A part of the service is unavailable at the moment. No data was lost; try again shortly.', 2);

/** Operations that store more data. */
const writeOperations: ReadonlySet<string> = new Set(['append', 'put']);

/**
 * An engine for the API: while a server is unavailable or the disk is full, operations fail with service_unavailable
 * instead of the error of the driver. Reads still work when the disk is full. Not for workers, which treat an ApiError as
 * an error of the document.
 */
export const withUnavailableErrors = <E extends object>(
  engine: E,
  { notServingReason, disk, reportError }: AvailabilityOptions,
): E =>
  decorate(engine, (operation, name) => async (...given) => {
    const reason = isRemoteEngine(engine) ? notServingReason() : null;
    if (reason !== null) throw unavailableError(reason, 2);
    if (writeOperations.has(name) && disk.missing() !== null) throw diskFullError();
    try {
      return await operation(...given);
    } catch (error) {
      if (error instanceof DiskWriteError) throw diskFullError();
      if (!isRemoteEngine(engine) || !isServerFailure(error)) throw error;
      reportError(error);
      throw serverUnavailableError();
    }
  });

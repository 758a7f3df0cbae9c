import pRetry from 'p-retry';
import { ApiError } from '#contracts/http/api-error.ts';
import { BlobNotFound } from '#libs/blob-store/port.ts';
import { runWithTimeout as limited } from '#libs/concurrency/timeout.ts';
import { type DiskMonitor, DiskWriteError } from '#libs/disk/disk-monitor.ts';
import { EventTooLarge, RevisionConflict } from '#libs/event-store/port.ts';
import { isRemoteEngine } from './remote.ts';

const declaredErrors = [ApiError, RevisionConflict, EventTooLarge, BlobNotFound];
const programmingErrors = [TypeError, RangeError, ReferenceError, SyntaxError];

/**
 * Whether an operation failed because of the server, and may succeed later. Which errors mean that a server is away differs from driver to
 * driver, so that all count as such but the ones that a port declares, and our own mistakes.
 */
export const isServerFailure = (error: unknown): boolean =>
  ![...declaredErrors, ...programmingErrors].some((kind) => error instanceof kind);

type Operation = (...given: unknown[]) => Promise<unknown>;

/** These return no promise, wait for as long as it takes, or end the engine. */
const undecorated: ReadonlySet<string> = new Set(['subscribe', 'readCached', 'missing', 'close']);

/** The engine with every other operation replaced by what `change` makes of it. */
const decorate = <E extends object>(engine: E, change: (operation: Operation, name: string) => Operation): E => {
  const isDecorated = (name: string, value: unknown): value is Operation =>
    typeof value === 'function' && !undecorated.has(name);
  return Object.fromEntries(
    Object.entries(engine).map(([name, value]) => [name, isDecorated(name, value) ? change(value, name) : value]),
  ) as E;
};

/** In milliseconds: the first pause, the longest, and how long an operation is tried on a server that is away. */
export type RetryOptions = { minDelayMs: number; maxDelayMs: number; maxRetryTimeMs: number };
const defaultRetryOptions: RetryOptions = { minDelayMs: 50, maxDelayMs: 2_000, maxRetryTimeMs: 15 * 60_000 };

/**
 * An engine for a worker in the middle of a job: while a server is away or a disk takes no more, the job waits, and what was begun is
 * finished later. Every operation of a store may be repeated: appends are known by their events, blobs by their hash. Once `signal`
 * has aborted, the next failure is thrown.
 */
export const withRetry = <E extends object>(
  engine: E,
  signal: AbortSignal,
  { minDelayMs, maxDelayMs, maxRetryTimeMs }: RetryOptions = defaultRetryOptions,
): E =>
  decorate(engine, (operation) => (...given) => {
    const giveUpAt = performance.now() + maxRetryTimeMs;
    const isAway = (error: unknown): boolean =>
      isRemoteEngine(engine) && isServerFailure(error) && performance.now() <= giveUpAt;
    return pRetry(() => operation(...given), {
      retries: Infinity,
      minTimeout: minDelayMs,
      maxTimeout: maxDelayMs,
      shouldRetry: ({ error }) => !signal.aborted && (error instanceof DiskWriteError || isAway(error)),
    });
  });

/** A server whose operations fail with a TimeoutError after `ms()` milliseconds. An engine that is no server stays as it is. */
export const withTimeout = <E extends object>(engine: E, ms: () => number): E =>
  isRemoteEngine(engine)
    ? decorate(
        engine,
        (operation) =>
          (...given) =>
            limited(ms(), () => operation(...given)),
      )
    : engine;

/** An embedded engine whose operations raise a DiskWriteError, which the disk is told of, where the disk takes no more. */
export const withDiskErrors = <E extends object>(engine: E, disk: DiskMonitor): E => {
  const raising =
    <A extends unknown[], T>(operation: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      try {
        return await operation(...given);
      } catch (error) {
        throw disk.recordError(error);
      }
    };
  return decorate(engine, raising);
};

export type AvailabilityOptions = {
  /** Why no caller is served by servers yet; null when all are. */
  notServingReason: () => string | null;
  /** Of the embedded engines. */
  disk: DiskMonitor;
  /** Is told the error of the driver where the caller is told of unavailability alone. */
  reportError: (error: unknown) => void;
};

const unavailableError = (reason: string, retryAfterSeconds: number): ApiError =>
  ApiError.of('service_unavailable', reason, { retry_after: retryAfterSeconds });
const diskFullError = (): ApiError =>
  unavailableError(
    'The disk of the service is full. Nothing was accepted; what is stored can still be read. Try again later.',
    10,
  );
const serverUnavailableError = (): ApiError =>
  unavailableError('A part of the service is away for the moment. Nothing was lost; try again shortly.', 2);

/** By these a caller makes the service store more. */
const writeOperations: ReadonlySet<string> = new Set(['append', 'put']);

/**
 * An engine for the API: where a server is away or the disk is full, operations fail with service_unavailable instead of what the driver
 * says. What reads goes on where the disk is full. Workers do not use it: to them such a Problem is the fault of the document.
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

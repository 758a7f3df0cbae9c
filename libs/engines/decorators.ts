import pRetry from 'p-retry';
import { Problem } from '#contracts/http/problem.ts';
import { BlobMissing } from '#libs/blob-store/port.ts';
import { withTimeout as limited } from '#libs/concurrency/timeout.ts';
import { type Disk, DiskRefusal } from '#libs/disk/disk.ts';
import { EventTooLarge, RevisionConflict } from '#libs/event-store/port.ts';
import { isRemote } from './remote.ts';

const resultsOfPorts = [Problem, RevisionConflict, EventTooLarge, BlobMissing];
const ownMistakes = [TypeError, RangeError, ReferenceError, SyntaxError];

/**
 * Whether an operation failed because of the server, and may succeed later. Which errors mean that a server is away differs from driver to
 * driver, so that all count as such but the ones that a port declares, and our own mistakes.
 */
export const isFailure = (error: unknown): boolean => ![...resultsOfPorts, ...ownMistakes].some((kind) => error instanceof kind);

type Operation = (...given: unknown[]) => Promise<unknown>;

/** These return no promise, wait for as long as it takes, or end the engine. */
const undecorated: ReadonlySet<string> = new Set(['subscribe', 'recent', 'missing', 'close']);

/** The engine with every other operation replaced by what `change` makes of it. */
const decorate = <E extends object>(engine: E, change: (operation: Operation, name: string) => Operation): E => {
  const isDecorated = (name: string, value: unknown): value is Operation => typeof value === 'function' && !undecorated.has(name);
  return Object.fromEntries(Object.entries(engine).map(([name, value]) => [name, isDecorated(name, value) ? change(value, name) : value])) as E;
};

/** In milliseconds: the first pause, the longest, and how long an operation is tried on a server that is away. */
export type RetryTimes = { firstMs: number; longestMs: number; altogetherMs: number };
const usualRetries: RetryTimes = { firstMs: 50, longestMs: 2_000, altogetherMs: 15 * 60_000 };

/**
 * An engine for a worker in the middle of a job: while a server is away or a disk takes no more, the job waits, and what was begun is
 * finished later. Every operation of a store may be repeated: appends are known by their events, blobs by their hash. Once `signal`
 * has aborted, the next failure is thrown.
 */
export const withRetry = <E extends object>(engine: E, signal: AbortSignal, { firstMs, longestMs, altogetherMs }: RetryTimes = usualRetries): E =>
  decorate(engine, (operation) => (...given) => {
    const giveUpAt = performance.now() + altogetherMs;
    const isAway = (error: unknown): boolean => isRemote(engine) && isFailure(error) && performance.now() <= giveUpAt;
    return pRetry(() => operation(...given), {
      retries: Infinity,
      minTimeout: firstMs,
      maxTimeout: longestMs,
      shouldRetry: ({ error }) => !signal.aborted && (error instanceof DiskRefusal || isAway(error)),
    });
  });

/** A server whose operations fail with a TimeoutError after `ms()` milliseconds. An engine that is no server stays as it is. */
export const withTimeout = <E extends object>(engine: E, ms: () => number): E =>
  isRemote(engine) ? decorate(engine, (operation) => (...given) => limited(ms(), () => operation(...given))) : engine;

/** An embedded engine whose operations raise a DiskRefusal, which the disk is told of, where the disk takes no more. */
export const withDisk = <E extends object>(engine: E, disk: Disk): E => {
  const raising = <A extends unknown[], T>(operation: (...given: A) => Promise<T>) => async (...given: A): Promise<T> => {
    try {
      return await operation(...given);
    } catch (error) {
      throw disk.raised(error);
    }
  };
  return decorate(engine, raising);
};

export type Availability = {
  /** Why no caller is served by servers yet; null when all are. */
  closed: () => string | null;
  /** Of the embedded engines. */
  disk: Disk;
  /** Is told the error of the driver where the caller is told of unavailability alone. */
  report: (error: unknown) => void;
};

const unavailable = (reason: string, retryAfterSeconds: number): Problem => Problem.of('service_unavailable', reason, { retry_after: retryAfterSeconds });
const diskIsFull = (): Problem => unavailable('The disk of the service is full. Nothing was accepted; what is stored can still be read. Try again later.', 10);
const serverIsAway = (): Problem => unavailable('A part of the service is away for the moment. Nothing was lost; try again shortly.', 2);

/** By these a caller makes the service store more. */
const storing: ReadonlySet<string> = new Set(['append', 'put']);

/**
 * An engine for the API: where a server is away or the disk is full, operations fail with service_unavailable instead of what the driver
 * says. What reads goes on where the disk is full. Workers do not use it: to them such a Problem is the fault of the document.
 */
export const withUnavailable = <E extends object>(engine: E, { closed, disk, report }: Availability): E =>
  decorate(engine, (operation, name) => async (...given) => {
    const reason = isRemote(engine) ? closed() : null;
    if (reason !== null) throw unavailable(reason, 2);
    if (storing.has(name) && disk.missing() !== null) throw diskIsFull();
    try {
      return await operation(...given);
    } catch (error) {
      if (error instanceof DiskRefusal) throw diskIsFull();
      if (!isRemote(engine) || !isFailure(error)) throw error;
      report(error);
      throw serverIsAway();
    }
  });

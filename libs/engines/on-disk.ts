import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '#contracts/http/problem.ts';
import type { Disk } from '#libs/disk/disk.ts';
import { DiskRefusal } from '#libs/disk/refusal.ts';

type Operation = (...given: unknown[]) => unknown;

/** They neither write nor answer with a promise. */
const untouched: ReadonlySet<string> = new Set(['subscribe', 'missing', 'close', 'heard']);
const pauseMs = 1_000;

const changed = <E extends object>(engine: E, change: (operation: Operation, name: string) => Operation): E =>
  Object.fromEntries(Object.entries(engine).map(([name, value]) => [name, typeof value === 'function' && !untouched.has(name) ? change(value as Operation, name) : value])) as E;

/** Waits for a message until the disk takes the note of who has it. */
const untilTaken = (next: Operation, disk: Disk): Operation => async (consumer, signal) => {
  for (;;) {
    try {
      return await next(consumer, signal);
    } catch (error) {
      const raised = disk.raised(error);
      if (!(raised instanceof DiskRefusal)) throw raised;
      await sleep(pauseMs, undefined, { signal: signal as AbortSignal }).catch(() => undefined);
    }
  }
};

/** An embedded engine whose operations raise a DiskRefusal, which the disk is told of, where the disk takes no more. */
export const onDisk = <E extends object>(engine: E, disk: Disk): E =>
  changed(engine, (operation, name) => {
    if (name === 'writer') return (...given) => onDisk(operation(...given) as object, disk);
    if (name === 'next') return untilTaken(operation, disk);
    return async (...given) => {
      try {
        return await operation(...given);
      } catch (error) {
        throw disk.raised(error);
      }
    };
  });

const retryAfterSeconds = 10;
const unavailable = (): Problem => Problem.of('service_unavailable', 'The disk of the service is full. Nothing was accepted; what is stored can still be read. Try again later.', { retry_after: retryAfterSeconds });

/** By these a caller makes the service keep more. */
const keeping: ReadonlySet<string> = new Set(['append', 'put']);

/** An engine as a caller of the API is to meet it: where the disk is full it keeps nothing more, and says so as service_unavailable. What reads goes on. */
export const servedFromDisk = <E extends object>(engine: E, disk: Disk): E =>
  changed(engine, (operation, name) => {
    if (name === 'writer' || name === 'next') return operation;
    return async (...given) => {
      if (keeping.has(name) && disk.missing() !== null) throw unavailable();
      try {
        return await operation(...given);
      } catch (error) {
        throw error instanceof DiskRefusal ? unavailable() : error;
      }
    };
  });

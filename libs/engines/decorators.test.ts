import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { TimeoutError } from '#libs/concurrency/timeout.ts';
import { type DiskMonitor, DiskWriteError } from '#libs/disk/disk-monitor.ts';
import { RevisionConflict } from '#libs/event-store/port.ts';
import { withDiskErrors, withRetry, withTimeout, withUnavailableErrors } from './decorators.ts';

const quickRetries = { minDelayMs: 1, maxDelayMs: 2, maxRetryTimeMs: 60_000 };
const serverOf = (read: () => Promise<string>) => ({
  read,
  missing: (): string | null => null,
  close: async () => undefined,
});
const healthyDisk: DiskMonitor = {
  missing: () => null,
  isUnwritable: () => false,
  recordError: (error) => error,
  damageProblems: () => [],
  close: () => undefined,
};
const fullDisk: DiskMonitor = {
  ...healthyDisk,
  missing: () => 'The disk is full.',
  recordError: (error) => new DiskWriteError(error),
};
const availabilityOptions = { notServingReason: () => null, disk: healthyDisk, reportError: () => undefined };
const apiErrorNameOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => null,
    (error: unknown) => (error instanceof ApiError ? error.fields.name : error),
  );
const declaredErrorExamples = [new RevisionConflict('render-1', 0), new TypeError('no JSON')];

describe('An engine, to callers of the API,', () => {
  it('is unavailable where it fails, and the reason goes to the log alone', async () => {
    const report = vi.fn<(error: unknown) => void>();
    const reason = new Error('ECONNREFUSED 10.0.0.7:27017');
    const attempt = withUnavailableErrors(
      serverOf(() => Promise.reject(reason)),
      { ...availabilityOptions, reportError: report },
    ).read();
    expect(await apiErrorNameOf(attempt)).toBe('service_unavailable');
    await expect(attempt).rejects.not.toThrow('10.0.0.7');
    expect(report).toHaveBeenCalledExactlyOnceWith(reason);
  });

  it('is unavailable where it has no answer in time', async () => {
    const silent = withTimeout(
      serverOf(() => new Promise(() => undefined)),
      () => 10,
    );
    await expect(silent.read()).rejects.toThrow(TimeoutError);
    expect(await apiErrorNameOf(withUnavailableErrors(silent, availabilityOptions).read())).toBe('service_unavailable');
  });

  it('is not asked before the service is open', async () => {
    const read = vi.fn<() => Promise<string>>();
    await expect(
      withUnavailableErrors(serverOf(read), {
        ...availabilityOptions,
        notServingReason: () => 'The service is starting.',
      }).read(),
    ).rejects.toThrow('The service is starting.');
    expect(read).not.toHaveBeenCalled();
  });

  it('keeps its own answers and our mistakes', async () => {
    for (const error of [...declaredErrorExamples, ApiError.of('not_found', 'x')]) {
      await expect(
        withUnavailableErrors(
          serverOf(() => Promise.reject(error)),
          availabilityOptions,
        ).read(),
      ).rejects.toBe(error);
    }
    expect(
      await withUnavailableErrors(
        serverOf(async () => 'answer'),
        availabilityOptions,
      ).read(),
    ).toBe('answer');
  });

  it('of this process is served before the service is open, without a time limit, and its mistakes are told', async () => {
    const embedded = { read: async () => 'answer', fail: () => Promise.reject(new Error('a mistake')) };
    expect(withTimeout(embedded, () => 0)).toBe(embedded);
    const served = withUnavailableErrors(embedded, {
      ...availabilityOptions,
      notServingReason: () => 'The service is starting.',
    });
    expect(await served.read()).toBe('answer');
    await expect(served.fail()).rejects.toThrow('a mistake');
  });

  it('stores nothing more where the disk is full, and is read still', async () => {
    const embedded = withDiskErrors(
      {
        append: async () => 'appended',
        put: async () => 'put',
        get: async () => 'got',
        erase: () => Promise.reject(new Error('no space')),
      },
      fullDisk,
    );
    const served = withUnavailableErrors(embedded, { ...availabilityOptions, disk: fullDisk });
    expect([
      await apiErrorNameOf(served.append()),
      await apiErrorNameOf(served.put()),
      await apiErrorNameOf(served.erase()),
    ]).toEqual(Array(3).fill('service_unavailable'));
    expect(await served.get()).toBe('got');
  });
});

describe('An engine, to a worker in the middle of a job,', () => {
  it('is waited for until it is back', async () => {
    let failures = 5;
    const engine = serverOf(async () => {
      if (failures-- > 0) throw new Error('connection closed');
      return 'answer';
    });
    expect(await withRetry(engine, new AbortController().signal, quickRetries).read()).toBe('answer');
  });

  it('keeps its own answers and our mistakes', async () => {
    for (const error of declaredErrorExamples) {
      await expect(
        withRetry(
          serverOf(() => Promise.reject(error)),
          new AbortController().signal,
          quickRetries,
        ).read(),
      ).rejects.toBe(error);
    }
  });

  it('of this process is waited for while its disk takes no more, and for nothing else', async () => {
    let refusals = 5;
    const embedded = {
      put: async () => {
        if (refusals-- > 0) throw new DiskWriteError(new Error('database or disk is full'));
        return 'kept';
      },
      read: () => Promise.reject(new Error('a mistake')),
    };
    const engine = withRetry(embedded, new AbortController().signal, { ...quickRetries, maxRetryTimeMs: 0 });
    expect(await engine.put()).toBe('kept');
    await expect(engine.read()).rejects.toThrow('a mistake');
    refusals = 1;
    await expect(withRetry(embedded, AbortSignal.abort(), quickRetries).put()).rejects.toThrow(DiskWriteError);
  });

  it('is not waited for where the process is to end, or after a long time', async () => {
    const engine = serverOf(() => Promise.reject(new Error('connection closed')));
    await expect(withRetry(engine, AbortSignal.abort(), quickRetries).read()).rejects.toThrow('connection closed');
    await expect(
      withRetry(engine, new AbortController().signal, { ...quickRetries, maxRetryTimeMs: 20 }).read(),
    ).rejects.toThrow('connection closed');
  });
});

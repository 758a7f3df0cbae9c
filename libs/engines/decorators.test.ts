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

describe('An engine for the API', () => {
  it('fails with service_unavailable, and only the operator gets the reason', async () => {
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

  it('fails with service_unavailable after a timeout', async () => {
    const silent = withTimeout(
      serverOf(() => new Promise(() => undefined)),
      () => 10,
    );
    await expect(silent.read()).rejects.toThrow(TimeoutError);
    expect(await apiErrorNameOf(withUnavailableErrors(silent, availabilityOptions).read())).toBe('service_unavailable');
  });

  it('is not called before the service is open', async () => {
    const read = vi.fn<() => Promise<string>>();
    await expect(
      withUnavailableErrors(serverOf(read), {
        ...availabilityOptions,
        notServingReason: () => 'The service is starting.',
      }).read(),
    ).rejects.toThrow('The service is starting.');
    expect(read).not.toHaveBeenCalled();
  });

  it('passes results, declared errors and programming errors on', async () => {
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
        serverOf(async () => 'result'),
        availabilityOptions,
      ).read(),
    ).toBe('result');
  });

  it('that is embedded works before the service is open, has no timeout, and passes errors on', async () => {
    const embedded = { read: async () => 'result', fail: () => Promise.reject(new Error('a bug')) };
    expect(withTimeout(embedded, () => 0)).toBe(embedded);
    const served = withUnavailableErrors(embedded, {
      ...availabilityOptions,
      notServingReason: () => 'The service is starting.',
    });
    expect(await served.read()).toBe('result');
    await expect(served.fail()).rejects.toThrow('a bug');
  });

  it('stores no more data when the disk is full, but can still be read', async () => {
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

describe('An engine for a worker', () => {
  it('is retried until it is available again', async () => {
    let failures = 5;
    const engine = serverOf(async () => {
      if (failures-- > 0) throw new Error('connection closed');
      return 'result';
    });
    expect(await withRetry(engine, new AbortController().signal, quickRetries).read()).toBe('result');
  });

  it('passes declared errors and programming errors on', async () => {
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

  it('that is embedded is retried while its disk is full, and for no other error', async () => {
    let writeErrors = 5;
    const embedded = {
      put: async () => {
        if (writeErrors-- > 0) throw new DiskWriteError(new Error('database or disk is full'));
        return 'stored';
      },
      read: () => Promise.reject(new Error('a bug')),
    };
    const engine = withRetry(embedded, new AbortController().signal, { ...quickRetries, maxRetryTimeMs: 0 });
    expect(await engine.put()).toBe('stored');
    await expect(engine.read()).rejects.toThrow('a bug');
    writeErrors = 1;
    await expect(withRetry(embedded, AbortSignal.abort(), quickRetries).put()).rejects.toThrow(DiskWriteError);
  });

  it('is not retried during shutdown, or after a long time', async () => {
    const engine = serverOf(() => Promise.reject(new Error('connection closed')));
    await expect(withRetry(engine, AbortSignal.abort(), quickRetries).read()).rejects.toThrow('connection closed');
    await expect(
      withRetry(engine, new AbortController().signal, { ...quickRetries, maxRetryTimeMs: 20 }).read(),
    ).rejects.toThrow('connection closed');
  });
});

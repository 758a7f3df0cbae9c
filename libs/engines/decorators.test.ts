import { describe, expect, it, vi } from 'vitest';
import { Problem } from '#contracts/http/problem.ts';
import { TimeoutError } from '#libs/concurrency/timeout.ts';
import { type Disk, DiskRefusal } from '#libs/disk/disk.ts';
import { RevisionConflict } from '#libs/event-store/port.ts';
import { withDisk, withRetry, withTimeout, withUnavailable } from './decorators.ts';

const quick = { firstMs: 1, longestMs: 2, altogetherMs: 60_000 };
const serverOf = (read: () => Promise<string>) => ({ read, missing: (): string | null => null, close: async () => undefined });
const sound: Disk = { missing: () => null, refuses: () => false, raised: (error) => error, damaged: () => [], close: () => undefined };
const full: Disk = { ...sound, missing: () => 'The disk is full.', raised: (error) => new DiskRefusal(error) };
const available = { closed: () => null, disk: sound, report: () => undefined };
const faultOf = (attempt: Promise<unknown>) => attempt.then(() => null, (error: unknown) => (error instanceof Problem ? error.fault.name : error));
const notFailures = [new RevisionConflict('render-1', 0), new TypeError('no JSON')];

describe('An engine, to callers of the API,', () => {
  it('is unavailable where it fails, and the reason goes to the log alone', async () => {
    const report = vi.fn<(error: unknown) => void>();
    const reason = new Error('ECONNREFUSED 10.0.0.7:27017');
    const attempt = withUnavailable(serverOf(() => Promise.reject(reason)), { ...available, report }).read();
    expect(await faultOf(attempt)).toBe('service_unavailable');
    await expect(attempt).rejects.not.toThrow('10.0.0.7');
    expect(report).toHaveBeenCalledExactlyOnceWith(reason);
  });

  it('is unavailable where it has no answer in time', async () => {
    const silent = withTimeout(serverOf(() => new Promise(() => undefined)), () => 10);
    await expect(silent.read()).rejects.toThrow(TimeoutError);
    expect(await faultOf(withUnavailable(silent, available).read())).toBe('service_unavailable');
  });

  it('is not asked before the service is open', async () => {
    const read = vi.fn<() => Promise<string>>();
    await expect(withUnavailable(serverOf(read), { ...available, closed: () => 'The service is starting.' }).read()).rejects.toThrow('The service is starting.');
    expect(read).not.toHaveBeenCalled();
  });

  it('keeps its own answers and our mistakes', async () => {
    for (const error of [...notFailures, Problem.of('not_found', 'x')]) {
      await expect(withUnavailable(serverOf(() => Promise.reject(error)), available).read()).rejects.toBe(error);
    }
    expect(await withUnavailable(serverOf(async () => 'answer'), available).read()).toBe('answer');
  });

  it('of this process is served before the service is open, without a time limit, and its mistakes are told', async () => {
    const embedded = { read: async () => 'answer', fail: () => Promise.reject(new Error('a mistake')) };
    expect(withTimeout(embedded, () => 0)).toBe(embedded);
    const served = withUnavailable(embedded, { ...available, closed: () => 'The service is starting.' });
    expect(await served.read()).toBe('answer');
    await expect(served.fail()).rejects.toThrow('a mistake');
  });

  it('stores nothing more where the disk is full, and is read still', async () => {
    const embedded = withDisk({ append: async () => 'appended', put: async () => 'put', get: async () => 'got', erase: () => Promise.reject(new Error('no space')) }, full);
    const served = withUnavailable(embedded, { ...available, disk: full });
    expect([await faultOf(served.append()), await faultOf(served.put()), await faultOf(served.erase())]).toEqual(Array(3).fill('service_unavailable'));
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
    expect(await withRetry(engine, new AbortController().signal, quick).read()).toBe('answer');
  });

  it('keeps its own answers and our mistakes', async () => {
    for (const error of notFailures) {
      await expect(withRetry(serverOf(() => Promise.reject(error)), new AbortController().signal, quick).read()).rejects.toBe(error);
    }
  });

  it('of this process is waited for while its disk takes no more, and for nothing else', async () => {
    let refusals = 5;
    const embedded = {
      put: async () => {
        if (refusals-- > 0) throw new DiskRefusal(new Error('database or disk is full'));
        return 'kept';
      },
      read: () => Promise.reject(new Error('a mistake')),
    };
    const engine = withRetry(embedded, new AbortController().signal, { ...quick, altogetherMs: 0 });
    expect(await engine.put()).toBe('kept');
    await expect(engine.read()).rejects.toThrow('a mistake');
    refusals = 1;
    await expect(withRetry(embedded, AbortSignal.abort(), quick).put()).rejects.toThrow(DiskRefusal);
  });

  it('is not waited for where the process is to end, or after a long time', async () => {
    const engine = serverOf(() => Promise.reject(new Error('connection closed')));
    await expect(withRetry(engine, AbortSignal.abort(), quick).read()).rejects.toThrow('connection closed');
    await expect(withRetry(engine, new AbortController().signal, { ...quick, altogetherMs: 20 }).read()).rejects.toThrow('connection closed');
  });
});

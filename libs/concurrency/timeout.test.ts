import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { TimeoutError, runUntilAborted, runWithTimeout } from './timeout.ts';

const never = <T>(): Promise<T> => new Promise(() => undefined);
const longMs = 3_600_000;

describe('Work with a time limit', () => {
  it('returns its result, or fails with its own error', async () => {
    expect(await runWithTimeout(longMs, async () => 'done')).toBe('done');
    await expect(runWithTimeout(longMs, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  });

  it('fails at the limit even when it goes on, and its signal aborts', async () => {
    const work = vi.fn<(signal: AbortSignal) => Promise<void>>(never);
    await expect(runWithTimeout(1, work)).rejects.toThrow(TimeoutError);
    expect(work.mock.calls[0]![0].aborted).toBe(true);
    await expect(runWithTimeout(1, never, { createError: () => new RangeError('too late') })).rejects.toThrow(
      RangeError,
    );
  });

  it('causes no unhandled rejection when it fails after the limit', async () => {
    const late = Promise.withResolvers<never>();
    await expect(runWithTimeout(1, () => late.promise)).rejects.toThrow(TimeoutError);
    late.reject(new Error('an unhandled rejection would end the process'));
    await new Promise(setImmediate);
  });

  it('ends with the signal of its caller, and leaves no listener on it', async () => {
    const stop = new AbortController();
    await runWithTimeout(longMs, async () => 'done', { signal: stop.signal });
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    const working = runWithTimeout(longMs, never, { signal: stop.signal });
    stop.abort(new Error('no longer needed'));
    await expect(working).rejects.toThrow('no longer needed');
    const work = vi.fn<() => Promise<void>>();
    await expect(runWithTimeout(longMs, work, { signal: stop.signal })).rejects.toThrow('no longer needed');
    expect(work).not.toHaveBeenCalled();
  });
});

it('Work fails with the reason of an abort at once', async () => {
  const stop = new AbortController();
  const working = runUntilAborted(stop.signal, never);
  stop.abort(new Error('stopped'));
  await expect(working).rejects.toThrow('stopped');
  await expect(runUntilAborted(stop.signal, async () => 'done')).rejects.toThrow('stopped');
  expect(await runUntilAborted(new AbortController().signal, async () => 'done')).toBe('done');
});

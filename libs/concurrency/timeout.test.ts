import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { TimeoutError, runUntilAborted, runWithTimeout } from './timeout.ts';

const never = <T>(): Promise<T> => new Promise(() => undefined);
const longMs = 3_600_000;

describe('Work with a time limit', () => {
  it('gives its result, or its own failure', async () => {
    expect(await runWithTimeout(longMs, async () => 'done')).toBe('done');
    await expect(runWithTimeout(longMs, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  });

  it('fails at the limit although it does not notice, and its signal aborts', async () => {
    const work = vi.fn<(signal: AbortSignal) => Promise<void>>(never);
    await expect(runWithTimeout(1, work)).rejects.toThrow(TimeoutError);
    expect(work.mock.calls[0]![0].aborted).toBe(true);
    await expect(runWithTimeout(1, never, { createError: () => new RangeError('too late') })).rejects.toThrow(
      RangeError,
    );
  });

  it('may fail after the limit, and nobody is told', async () => {
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
    stop.abort(new Error('not wanted any more'));
    await expect(working).rejects.toThrow('not wanted any more');
    const work = vi.fn<() => Promise<void>>();
    await expect(runWithTimeout(longMs, work, { signal: stop.signal })).rejects.toThrow('not wanted any more');
    expect(work).not.toHaveBeenCalled();
  });
});

it('Work that is done until an abort fails with the reason of the abort', async () => {
  const stop = new AbortController();
  const working = runUntilAborted(stop.signal, never);
  stop.abort(new Error('stopped'));
  await expect(working).rejects.toThrow('stopped');
  await expect(runUntilAborted(stop.signal, async () => 'done')).rejects.toThrow('stopped');
  expect(await runUntilAborted(new AbortController().signal, async () => 'done')).toBe('done');
});

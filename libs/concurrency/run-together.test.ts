import { describe, expect, it } from 'vitest';
import { runTogether } from './run-together.ts';

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

describe('Loops that run together', () => {
  it('end together with the error of the loop that failed', async () => {
    const ended: string[] = [];
    const waiting = async (signal: AbortSignal): Promise<void> => {
      await aborted(signal);
      ended.push('other');
    };
    await expect(
      runTogether(new AbortController().signal, waiting, () => Promise.reject(new Error('no disk'))),
    ).rejects.toThrow('no disk');
    expect(ended).toEqual(['other']);
  });

  it('go on when one of them has nothing more to do', async () => {
    const stop = new AbortController();
    let isAborted = false;
    const together = runTogether(
      stop.signal,
      async () => undefined,
      async (signal) => {
        await new Promise(setImmediate);
        isAborted = signal.aborted;
        await aborted(signal);
      },
    );
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    stop.abort();
    await together;
    expect(isAborted).toBe(false);
  });
});

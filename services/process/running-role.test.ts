import { describe, expect, it } from 'vitest';
import { keepRunning, type RestartPolicy, runTogether } from './running-role.ts';

const times: RestartPolicy = { firstDelayMs: 1, maxDelayMs: 2, stableAfterMs: 60_000, maxFailures: 3 };
const quiet = { role: 'relay', isEngineUnavailable: () => false, report: () => undefined, times } as const;
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

describe('A role', () => {
  it('is begun again when it fails, and says so as long as it has not run for a while', async () => {
    let runs = 0;
    const role = keepRunning({
      ...quiet,
      run: async (signal) => {
        runs += 1;
        if (runs < 3) throw new Error('no disk');
        await aborted(signal);
      },
    });
    await expect.poll(() => runs).toBe(3);
    expect(role.missing()).toEqual(['the relay has failed and is begun again: Error: no disk']);
    await role.stop();
    await role.ended;
  });

  it('is ready again once it has run for a while', async () => {
    let runs = 0;
    const run = async (signal: AbortSignal): Promise<void> => {
      if (++runs === 1) throw new Error('no disk');
      await aborted(signal);
    };
    const role = keepRunning({ ...quiet, run, restartPolicy: { ...times, stableAfterMs: 20 } });
    await expect.poll(() => runs > 1 && role.missing()).toEqual([]);
    await role.stop();
  });

  it('that fails again and again ends the process, with what was wrong', async () => {
    const role = keepRunning({ ...quiet, run: () => Promise.reject(new Error('no disk')) });
    await expect(role.ended).rejects.toThrow('no disk');
  });

  it('that ends without having been told to has failed, too', async () => {
    await expect(keepRunning({ ...quiet, run: async () => undefined }).ended).rejects.toThrow('ended by itself');
  });

  it('is tried for ever while an engine is away', async () => {
    let runs = 0;
    const run = async (): Promise<void> => {
      runs += 1;
      throw new Error('connection refused');
    };
    const role = keepRunning({ ...quiet, isEngineUnavailable: () => true, run });
    await expect.poll(() => runs).toBeGreaterThan(10);
    expect(role.missing(), 'the engine tells of itself').toEqual([]);
    await role.stop();
    await role.ended;
  });
});

describe('Loops that belong together', () => {
  it('end together, with the failure of the one that failed', async () => {
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
});

import { describe, expect, it } from 'vitest';
import { keepRunning, type RestartPolicy } from './running-role.ts';

const restartPolicy: RestartPolicy = { firstDelayMs: 1, maxDelayMs: 2, stableAfterMs: 60_000, maxFailures: 3 };
const roleOptions = {
  role: 'relay',
  isEngineUnavailable: () => false,
  report: () => undefined,
  restartPolicy,
} as const;
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

describe('A role', () => {
  it('is restarted when it fails, and reports that until it has run for a while', async () => {
    let runs = 0;
    const role = keepRunning({
      ...roleOptions,
      run: async (signal) => {
        runs += 1;
        if (runs < 3) throw new Error('no disk');
        await aborted(signal);
      },
    });
    await expect.poll(() => runs).toBe(3);
    expect(role.missing()).toEqual(['the relay failed and is restarted: Error: no disk']);
    await role.stop();
    await role.ended;
  });

  it('is ready again after it has run for a while', async () => {
    let runs = 0;
    const run = async (signal: AbortSignal): Promise<void> => {
      if (++runs === 1) throw new Error('no disk');
      await aborted(signal);
    };
    const role = keepRunning({ ...roleOptions, run, restartPolicy: { ...restartPolicy, stableAfterMs: 20 } });
    await expect.poll(() => runs > 1 && role.missing()).toEqual([]);
    await role.stop();
  });

  it('that fails repeatedly ends the process with the error', async () => {
    const role = keepRunning({ ...roleOptions, run: () => Promise.reject(new Error('no disk')) });
    await expect(role.ended).rejects.toThrow('no disk');
  });

  it('that ends without being stopped has failed', async () => {
    await expect(keepRunning({ ...roleOptions, run: async () => undefined }).ended).rejects.toThrow('ended by itself');
  });

  it('is restarted without limit while an engine is unavailable', async () => {
    let runs = 0;
    const run = async (): Promise<void> => {
      runs += 1;
      throw new Error('connection refused');
    };
    const role = keepRunning({ ...roleOptions, isEngineUnavailable: () => true, run });
    await expect.poll(() => runs).toBeGreaterThan(10);
    expect(role.missing(), 'the engine reports itself').toEqual([]);
    await role.stop();
    await role.ended;
  });
});

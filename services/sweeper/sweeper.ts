import { setTimeout as sleep } from 'node:timers/promises';
import { eraseExpiredPdfs, eraseDeliveryTargets, type ErasureDependencies } from './erase.ts';

const defaultIntervalMs = 30_000;

/** Sweeps twice a minute until `signal` aborts. What fails is reported and tried again; it does not keep the rest from being done. */
export const runSweeper = async (
  parts: ErasureDependencies,
  report: (fact: Record<string, unknown>, message: string) => void,
  signal: AbortSignal,
  everyMs = defaultIntervalMs,
): Promise<void> => {
  const tasks = [() => eraseExpiredPdfs(parts), () => eraseDeliveryTargets(parts)];
  while (!signal.aborted) {
    for (const task of tasks)
      await task().catch((error: unknown) =>
        report({ error: String(error) }, 'a sweep failed; the next one tries again'),
      );
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
};

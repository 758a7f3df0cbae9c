import { setTimeout as sleep } from 'node:timers/promises';
import { erasePdfs, eraseTargets, type ErasureParts } from './erase.ts';

const usuallyEveryMs = 30_000;

/** Sweeps twice a minute until `signal` aborts. What fails is reported and tried again; it does not keep the rest from being done. */
export const runSweeper = async (
  parts: ErasureParts,
  report: (fact: Record<string, unknown>, message: string) => void,
  signal: AbortSignal,
  everyMs = usuallyEveryMs,
): Promise<void> => {
  const tasks = [() => erasePdfs(parts), () => eraseTargets(parts)];
  while (!signal.aborted) {
    for (const task of tasks) await task().catch((error: unknown) => report({ error: String(error) }, 'a sweep failed; the next one tries again'));
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
};

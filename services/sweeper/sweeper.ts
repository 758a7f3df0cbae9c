import { setTimeout as sleep } from 'node:timers/promises';
import { erasePdfs, eraseTargets, type ErasureParts } from './erase.ts';
import { putBack, type PutBackParts } from './put-back.ts';

export type SweeperParts = ErasureParts & Omit<PutBackParts, 'overdueMs' | 'signal'>;
/** In milliseconds. */
export type SweeperTimes = { everyMs: number; overdueMs: number };

const usualTimes: SweeperTimes = { everyMs: 30_000, overdueMs: 60_000 };

/** Sweeps twice a minute until `signal` aborts. What fails is reported and tried again; it does not keep the rest from being done. */
export const runSweeper = async (
  parts: SweeperParts,
  report: (fact: Record<string, unknown>, message: string) => void,
  signal: AbortSignal,
  { everyMs, overdueMs }: SweeperTimes = usualTimes,
): Promise<void> => {
  const tasks = [() => putBack({ ...parts, overdueMs, signal }), () => erasePdfs(parts), () => eraseTargets(parts)];
  while (!signal.aborted) {
    for (const task of tasks) await task().catch((error: unknown) => report({ error: String(error) }, 'a sweep failed; the next one tries again'));
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
};

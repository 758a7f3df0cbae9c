import { setTimeout as sleep } from 'node:timers/promises';
import { erasePdfs, putBack, type SweeperParts } from './sweep.ts';

const everyMs = 30_000;

/** Sweeps twice a minute until `signal` aborts. What fails is reported and tried again. */
export const runSweeper = async (parts: SweeperParts, report: (fact: Record<string, unknown>, message: string) => void, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    try {
      await putBack(parts);
      await erasePdfs(parts);
    } catch (error) {
      report({ error: String(error) }, 'a sweep failed; the next one tries again');
    }
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
};

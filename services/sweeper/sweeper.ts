import { pause } from '#libs/concurrency/pause.ts';
import type { Report } from '#libs/telemetry/logger.ts';
import { eraseExpiredPdfs, eraseDeliveryTargets, eraseRenderedPageSecrets, type ErasureDependencies } from './erase.ts';

const defaultIntervalMs = 30_000;

/** Sweeps every `intervalMs` milliseconds until `signal` aborts. A failed sweep is reported and tried again at the next. */
export const runSweeper = async (
  dependencies: Omit<ErasureDependencies, 'signal'>,
  report: Report,
  signal: AbortSignal,
  intervalMs = defaultIntervalMs,
): Promise<void> => {
  const stoppable = { ...dependencies, signal };
  const sweeps = [
    () => eraseExpiredPdfs(stoppable),
    () => eraseDeliveryTargets(stoppable),
    () => eraseRenderedPageSecrets(stoppable),
  ];
  while (!signal.aborted) {
    for (const sweep of sweeps)
      await sweep().catch((error: unknown) =>
        report({ error: String(error) }, 'sweep failed; the next one tries again'),
      );
    await pause(intervalMs, signal);
  }
};

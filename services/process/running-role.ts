import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '#libs/telemetry/logger.ts';

/** The roles that a process can have, in the order in which they are stopped: who gives work first, who finishes it after. */
export const roles = ['api', 'renderer', 'delivery', 'relay', 'projector', 'sweeper'] as const;
export type Role = (typeof roles)[number];

/** A role at work. */
export type RunningRole = {
  /** What keeps it from working; empty where nothing does. */
  missing(): string[];
  /** Rejects when it cannot go on, and resolves when it was stopped. */
  ended: Promise<void>;
  /** Lets it finish what it has in hands. */
  stop(): Promise<void>;
};

type RoleLoop = {
  role: Role;
  run: (signal: AbortSignal) => Promise<void>;
  /** Whether an engine is known to be away: then a failure is not the loop's own. */
  isEngineUnavailable: () => boolean;
  report: Report;
  restartPolicy?: RestartPolicy;
};

/** In milliseconds, and how many failures in a row that no absent engine explains end the process. */
export type RestartPolicy = { firstDelayMs: number; maxDelayMs: number; stableAfterMs: number; maxFailures: number };
const defaultRestartPolicy: RestartPolicy = {
  firstDelayMs: 100,
  maxDelayMs: 2_000,
  stableAfterMs: 10_000,
  maxFailures: 10,
};

/**
 * Keeps a loop going: begins it again when it fails, later and later, for ever while an engine is away. A loop that fails again and again without such a
 * reason ends the process: better to be started anew than to accept what nobody works on.
 */
export const keepRunning = ({
  role,
  run,
  isEngineUnavailable,
  report,
  restartPolicy: { firstDelayMs, maxDelayMs, stableAfterMs, maxFailures } = defaultRestartPolicy,
}: RoleLoop): RunningRole => {
  const stop = new AbortController();
  let failure: string | null = null;

  const keep = async (): Promise<void> => {
    for (let failures = 0; !stop.signal.aborted;) {
      const since = performance.now();
      const steady = setTimeout(() => (failure = null), stableAfterMs);
      try {
        await run(stop.signal);
        if (!stop.signal.aborted) throw new Error('it ended by itself');
      } catch (error) {
        const said = String(error);
        // Of an engine that is away it tells itself, and only until it is back.
        failure = isEngineUnavailable() ? null : said;
        failures = isEngineUnavailable() ? 0 : performance.now() - since > stableAfterMs ? 1 : failures + 1;
        if (stop.signal.aborted) return;
        if (failures > maxFailures) throw error;
        report({ role, error: said }, 'a role has failed and is begun again');
        await sleep(Math.min(maxDelayMs, firstDelayMs * 2 ** failures), undefined, { signal: stop.signal }).catch(
          () => undefined,
        );
      } finally {
        clearTimeout(steady);
      }
    }
  };

  const ended = keep();
  // Whoever races this against a signal may leave it behind.
  ended.catch(() => undefined);
  return {
    missing: () => (failure === null ? [] : [`the ${role} has failed and is begun again: ${failure}`]),
    ended,
    stop: async () => {
      stop.abort();
      await ended.catch(() => undefined);
    },
  };
};

/** Runs loops that belong together: where one fails or ends, the others are told to end, and the first failure is thrown. */
export const runTogether = async (
  signal: AbortSignal,
  ...loops: readonly ((signal: AbortSignal) => Promise<void>)[]
): Promise<void> => {
  const over = new AbortController();
  const all = loops.map((loop) => loop(AbortSignal.any([signal, over.signal])).finally(() => over.abort()));
  const ends = await Promise.allSettled(all);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
};

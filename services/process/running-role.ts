import { pause } from '#libs/concurrency/pause.ts';
import type { Report } from '#libs/telemetry/logger.ts';

/** The roles that a process can have. */
export const processRoles = ['api', 'renderer', 'delivery', 'relay', 'projector', 'sweeper'] as const;
export type ProcessRole = (typeof processRoles)[number];

export type RunningRole = {
  /** What prevents the role from working; empty if nothing does. */
  missing(): string[];
  /** What the role cannot do although it works; nothing by default. */
  limitations?(): string[];
  /** Resolves when the role was stopped; rejects when it cannot continue. */
  ended: Promise<void>;
  /** Stops the role after it has finished its current tasks. */
  stop(): Promise<void>;
};

type RoleLoop = {
  role: ProcessRole;
  run: (signal: AbortSignal) => Promise<void>;
  /** Whether an engine is known to be unavailable. Then a failure of the loop does not count. */
  isEngineUnavailable: () => boolean;
  report: Report;
  restartPolicy?: RestartPolicy;
};

/** Times in milliseconds. More than `maxFailures` consecutive failures without an unavailable engine end the process. */
export type RestartPolicy = { firstDelayMs: number; maxDelayMs: number; stableAfterMs: number; maxFailures: number };
const defaultRestartPolicy: RestartPolicy = {
  firstDelayMs: 100,
  maxDelayMs: 2_000,
  stableAfterMs: 10_000,
  maxFailures: 10,
};

/**
 * Restarts a loop when it fails, with growing delays; without limit while an engine is unavailable. If it fails repeatedly
 * for another reason, `ended` rejects and the process ends, so that it does not accept work that no role handles.
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

  const runLoop = async (): Promise<void> => {
    for (let failures = 0; !stop.signal.aborted;) {
      const startedAt = performance.now();
      const stableTimer = setTimeout(() => (failure = null), stableAfterMs);
      try {
        await run(stop.signal);
        if (!stop.signal.aborted) throw new Error('it ended by itself');
      } catch (error) {
        const message = String(error);
        // An unavailable engine reports itself.
        failure = isEngineUnavailable() ? null : message;
        failures = isEngineUnavailable() ? 0 : performance.now() - startedAt > stableAfterMs ? 1 : failures + 1;
        if (stop.signal.aborted) return;
        if (failures > maxFailures) throw error;
        report({ role, error: message }, 'role failed and is restarted');
        await pause(Math.min(maxDelayMs, firstDelayMs * 2 ** failures), stop.signal);
      } finally {
        clearTimeout(stableTimer);
      }
    }
  };

  const ended = runLoop();
  // A caller that stops waiting for it must not cause an unhandled rejection.
  ended.catch(() => undefined);
  return {
    missing: () => (failure === null ? [] : [`the ${role} failed and is restarted: ${failure}`]),
    ended,
    stop: async () => {
      stop.abort();
      await ended.catch(() => undefined);
    },
  };
};

/** How long a current task waits for an engine after the process got the signal to stop. */
const shutdownTimeoutMs = 10_000;

/** Aborts some time after `signal`, so that current tasks can still wait for an engine. */
export const abortAfterShutdownTimeout = (signal: AbortSignal): AbortSignal => {
  const aborter = new AbortController();
  signal.addEventListener('abort', () => setTimeout(() => aborter.abort(), shutdownTimeoutMs).unref(), { once: true });
  return aborter.signal;
};

import { streams } from '#contracts/names.ts';
import { pause } from '#libs/concurrency/pause.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import type { RenderOutcome, Limits } from '#libs/limits/port.ts';
import type { Report } from '#libs/telemetry/logger.ts';

export type LimitsCorrectionDependencies = {
  eventLog: { store: Pick<EventStore, 'read'>; now: () => Date };
  limits: Pick<Limits, 'correctCounters'>;
};

/** An append that takes longer has failed. */
const maxAppendMs = 20_000;

/**
 * Corrects the counters of rate limits and quotas. A render that was counted but is not in the event log may still be
 * appended for 20 s after it is first seen. The time is `uptime` in milliseconds, because the clock may be set.
 */
export const openLimitsCorrection = (
  { eventLog, limits }: LimitsCorrectionDependencies,
  uptime = () => performance.now(),
) => {
  let absentSince = new Map<string, number>();
  return async (): Promise<void> => {
    const stillAbsent = new Map<string, number>();
    const outcomeOf = async (renderId: string): Promise<RenderOutcome> => {
      const [accepted] = await eventLog.store.read(streams.render(renderId), 0, 1);
      if (accepted) return accepted.position;
      const since = absentSince.get(renderId) ?? uptime();
      // Also for an outcome of never: if the correction fails, the next round has that outcome at once.
      stillAbsent.set(renderId, since);
      return uptime() - since >= maxAppendMs ? 'never' : 'pending';
    };
    try {
      await limits.correctCounters(outcomeOf, eventLog.now());
      absentSince = stillAbsent;
    } catch (error) {
      // A round that fails may not have asked for all renders.
      absentSince = new Map([...absentSince, ...stillAbsent]);
      throw error;
    }
  };
};

const intervalMs = 10_000;
const failureMessage = 'usage counters could not be corrected; the next round tries again';

/** Corrects the counters until `signal` aborts. A failure is reported, and the next round tries again. */
export const runLimitsCorrection = async (
  dependencies: LimitsCorrectionDependencies,
  report: Report,
  signal: AbortSignal,
): Promise<void> => {
  const correct = openLimitsCorrection(dependencies);
  while (!signal.aborted) {
    await correct().catch((error: unknown) => report({ error: String(error) }, failureMessage));
    await pause(intervalMs, signal);
  }
};

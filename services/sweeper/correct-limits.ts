import { setTimeout as sleep } from 'node:timers/promises';
import { streams } from '#contracts/names.ts';
import type { EventStore } from '#libs/event-store/port.ts';
import type { RenderOutcome, Limits } from '#libs/limits/port.ts';

export type LimitsCorrectionDependencies = {
  eventLog: { store: Pick<EventStore, 'read'>; now: () => Date };
  limits: Pick<Limits, 'correctCounters'>;
};

/** Longer than any append takes that still succeeds. */
const maxAppendMs = 20_000;

/**
 * Corrects the counters of the limits. A render that was counted and is not in the event log has 20 s from when it
 * is first seen, by `uptime` in milliseconds: the clock that it was counted by may have been set since.
 */
export const openLimitsCorrection = (
  { eventLog, limits }: LimitsCorrectionDependencies,
  uptime = () => performance.now(),
) => {
  let seen = new Map<string, number>();
  return async (): Promise<void> => {
    const absent = new Map<string, number>();
    const fateOf = async (renderId: string): Promise<RenderOutcome> => {
      const [accepted] = await eventLog.store.read(streams.render(renderId));
      if (accepted) return accepted.position;
      const since = seen.get(renderId) ?? uptime();
      // Also of one that is given up: where that comes to nothing, the next round gives it up at once.
      absent.set(renderId, since);
      return uptime() - since >= maxAppendMs ? 'never' : 'pending';
    };
    await limits.correctCounters(fateOf, eventLog.now());
    seen = absent;
  };
};

const intervalMs = 10_000;
const failureMessage = 'the usage counters could not be corrected; the next round tries again';

type Report = (fact: Record<string, unknown>, message: string) => void;

/** Corrects the counters until `signal` aborts. A failure is reported, and the next round tries again. */
export const runLimitsCorrection = async (
  parts: LimitsCorrectionDependencies,
  report: Report,
  signal: AbortSignal,
): Promise<void> => {
  const correct = openLimitsCorrection(parts);
  while (!signal.aborted) {
    await correct().catch((error: unknown) => report({ error: String(error) }, failureMessage));
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
  }
};

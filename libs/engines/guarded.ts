import { Problem } from '#contracts/http/problem.ts';
import { withTimeout } from '#libs/concurrency/with-timeout.ts';
import { isFailure, withOperations } from './engine-error.ts';
import type { Remote } from './remote.ts';

/** In milliseconds: how long a caller waits for an engine that seems well, and for one that is known to be away. */
export type GuardTimes = { wellMs: number; awayMs: number };
const usualTimes: GuardTimes = { wellMs: 8_000, awayMs: 1_000 };

export type Guard = {
  /** Why nobody is served yet; null when everybody is. */
  closed: () => string | null;
  /** Whether any engine is known to be away: one leans on another. */
  away: () => boolean;
  /** Told of what the driver said where a caller is told of unavailability alone. */
  report: (error: unknown) => void;
  times?: GuardTimes;
};

const retryAfterSeconds = 2;
const unavailable = (reason: string): Problem => Problem.of('service_unavailable', reason, { retry_after: retryAfterSeconds });
const somethingIsAway = 'A part of the service is away for the moment. Nothing was lost; try again shortly.';

/** Whether the engine is a server that can be away. */
export const isRemote = (engine: object): engine is Remote => typeof (engine as Partial<Remote>).missing === 'function';

/**
 * An engine as a caller of the API is to meet it: where it is away, or has no answer in time, operations end in service_unavailable instead of whatever the driver says.
 * Workers must not see it so: to them such a Problem is the fault of the document. An engine that is no server stays as it is.
 */
export const guarded = <E extends object>(engine: E, { closed, away, report, times: { wellMs, awayMs } = usualTimes }: Guard): E => {
  if (!isRemote(engine)) return engine;
  return withOperations(engine, (operation) => async (...given) => {
    const reason = closed();
    if (reason !== null) throw unavailable(reason);
    try {
      return await withTimeout(away() ? awayMs : wellMs, () => new Error('no answer in time'), () => operation(...given));
    } catch (error) {
      if (!isFailure(error)) throw error;
      report(error);
      throw unavailable(somethingIsAway);
    }
  });
};

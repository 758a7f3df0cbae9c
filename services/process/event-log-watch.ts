import { pause } from '#libs/concurrency/pause.ts';
import { isRemoteEngine } from '#libs/engines/remote.ts';
import {
  type EventLogAndReadModels,
  checkForOlderEventLog,
  describeOlderEventLog,
} from '#libs/projections/older-event-log.ts';
import type { ProcessContext } from './process-context.ts';

export type EventLogWatch = {
  /** The first comparison: null, or what is wrong. Rejects when it fails although the engines are available. */
  firstCheck: Promise<string | null>;
  /** Resolves to true when the event log is not older than the read models; to false when the process stops first. */
  verified: Promise<boolean>;
  /** What is wrong and what to do, or null. */
  missing(): string | null;
};

const checkIntervalMs = 1_000;
/** A server that was frozen or cut off and still acts as leader can report an earlier end of the log for some seconds. */
const requiredChecksOnServer = 10;

const restartInstruction = 'This happened while the process was running: restart it afterwards.';

/** Checks that the event log is not older than the read models: at start until this is so, then at intervals until `signal` aborts. */
export const watchEventLog = (
  { engines, isEngineUnavailable, report }: ProcessContext,
  signal: AbortSignal,
): EventLogWatch => {
  const firstCheck = Promise.withResolvers<string | null>();
  const verified = Promise.withResolvers<boolean>();
  let problem: string | null = null;

  const openEngines = async (): Promise<EventLogAndReadModels> => {
    const [store, reads] = await Promise.all([engines.store(), engines.reads()]);
    return { store, reads };
  };

  const waitUntilVerified = async (): Promise<void> => {
    for (const stores = await openEngines(); !signal.aborted; await pause(checkIntervalMs, signal)) {
      try {
        problem = await describeOlderEventLog(stores);
        firstCheck.resolve(problem);
        if (problem === null) return;
      } catch (error) {
        if (!isEngineUnavailable()) throw error;
      }
    }
  };

  const watch = async (): Promise<void> => {
    const stores = await openEngines();
    const requiredChecks = isRemoteEngine(stores.store) ? requiredChecksOnServer : 1;
    let [highestHead, checks] = [0, 0];
    while (!signal.aborted && checks < requiredChecks) {
      await pause(checkIntervalMs, signal);
      try {
        const { isOlder, head } = await checkForOlderEventLog(stores, highestHead);
        checks = isOlder ? checks + 1 : 0;
        highestHead = Math.max(highestHead, head);
      } catch {
        // An unavailable engine reports itself.
      }
    }
    if (signal.aborted) return;
    // The caches of this process come from the newer log, so it needs a restart.
    const description = await describeOlderEventLog(stores).catch(() => null);
    problem =
      (description ?? 'The event log was replaced by an older one. Run "colophon rebuild".') + ` ${restartInstruction}`;
    report({ reason: problem }, 'event log is older than the read models', 'error');
  };

  const run = async (): Promise<void> => {
    try {
      await waitUntilVerified();
      firstCheck.resolve(null);
      verified.resolve(!signal.aborted);
    } catch (error) {
      firstCheck.reject(error);
      verified.reject(error);
      return;
    }
    await watch().catch(() => undefined);
  };
  for (const promise of [firstCheck.promise, verified.promise]) promise.catch(() => undefined);
  void run();

  return { firstCheck: firstCheck.promise, verified: verified.promise, missing: () => problem };
};

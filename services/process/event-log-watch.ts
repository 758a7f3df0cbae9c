import { setTimeout as sleep } from 'node:timers/promises';
import { isRemoteEngine } from '#libs/engines/remote.ts';
import { projections } from '#libs/projections/all.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import {
  type EventLogAndReadModels,
  checkForOlderEventLog,
  describeOlderEventLog,
} from '#libs/projections/older-event-log.ts';
import type { ProcessContext } from './process-context.ts';

export type EventLogWatch = {
  /** Resolves at the first comparison: null, or what is wrong. Rejects where the engines can be reached and the comparison fails all the same. */
  firstCheck: Promise<string | null>;
  /** Resolves to true once the event log is the one that everything was built from; to false when the process is to stop before. */
  verified: Promise<boolean>;
  /** What is wrong and what to do; null where nothing is. */
  missing(): string | null;
};

const checkIntervalMs = 1_000;
/** A server that was frozen or cut off and believes to be the leader may answer with an earlier end of the log for some seconds. */
const requiredChecksOnServer = 10;

const restartInstruction = 'This has happened while the process was running: restart it afterwards.';

/** Compares the event log with what was built from it, at start until it is whole, and then again and again. `signal` ends it. */
export const watchEventLog = (
  { engines, isEngineUnavailable, report }: ProcessContext,
  signal: AbortSignal,
): EventLogWatch => {
  const compared = Promise.withResolvers<string | null>();
  const whole = Promise.withResolvers<boolean>();
  let wrong: string | null = null;

  const pause = (): Promise<void> => sleep(checkIntervalMs, undefined, { signal }).catch(() => undefined);
  const opened = async (): Promise<EventLogAndReadModels> => {
    const [store, reads] = await Promise.all([engines.store(), engines.reads()]);
    return { store, reads };
  };

  const waitUntilWhole = async (): Promise<void> => {
    for (const built = await opened(); !signal.aborted; await pause()) {
      try {
        wrong = await describeOlderEventLog(built);
        compared.resolve(wrong);
        if (wrong === null) return;
      } catch (error) {
        if (!isEngineUnavailable()) throw error;
      }
    }
  };

  const watch = async (): Promise<void> => {
    const built = await opened();
    const looksNeeded = isRemoteEngine(built.store) ? requiredChecksOnServer : 1;
    let [highest, looks] = [0, 0];
    while (!signal.aborted && looks < looksNeeded) {
      await pause();
      try {
        const { older, head } = await checkForOlderEventLog(built, highest);
        looks = older ? looks + 1 : 0;
        highest = Math.max(highest, head);
      } catch {
        // An engine that is away tells of itself.
      }
    }
    if (signal.aborted) return;
    // What this process remembers of the log is of the other one: it does not go on by itself.
    wrong = `${(await describeOlderEventLog(built).catch(() => null)) ?? 'The event log was exchanged for an older one. Run "colophon rebuild".'} ${restartInstruction}`;
    report({ reason: wrong }, 'the event log is older than what was built from it', 'error');
  };

  const run = async (): Promise<void> => {
    try {
      await waitUntilWhole();
      compared.resolve(null);
      whole.resolve(!signal.aborted);
    } catch (error) {
      compared.reject(error);
      whole.reject(error);
      return;
    }
    await watch().catch(() => undefined);
  };
  for (const promise of [compared.promise, whole.promise]) promise.catch(() => undefined);
  void run();

  return { firstCheck: compared.promise, verified: whole.promise, missing: () => wrong };
};

const checkpointTimeoutMs = 500;
const retryIntervalMs = 500;

/** Resolves once the read models show what was in the log when it first could be asked; a process that projects brings them there itself. False when `signal` aborts before. */
export const waitForReadModels = async (
  { engines, roles, report, isEngineUnavailable }: ProcessContext,
  signal: AbortSignal,
): Promise<boolean> => {
  const projects = roles.includes('projector');
  const attempt = async (): Promise<void> => {
    const [store, reads] = await Promise.all([engines.store(), engines.reads()]);
    if (projects) return catchUp(store, reads, projections);
    const head = await store.head();
    for (const { model } of projections)
      while (!signal.aborted && !(await reads.waitForCheckpoint(model, head, checkpointTimeoutMs)));
  };
  let told = false;
  while (!signal.aborted) {
    try {
      await attempt();
      return !signal.aborted;
    } catch (error) {
      if (!isEngineUnavailable()) throw error;
      if (!told) report({ missing: engines.missing() }, 'waiting for the engines');
      told = true;
      await sleep(retryIntervalMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return false;
};

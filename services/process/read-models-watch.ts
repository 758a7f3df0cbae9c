import { pause } from '#libs/concurrency/pause.ts';
import { isRemoteEngine } from '#libs/engines/remote.ts';
import { projections } from '#libs/projections/all.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import type { ProcessContext } from './process-context.ts';

const models = projections.map(({ model }) => model);

const checkpointTimeoutMs = 500;
const retryIntervalMs = 500;

/**
 * Waits until the read models have reached the end of the event log. A projector process updates them itself. False when
 * `signal` aborts first.
 */
export const waitForReadModels = async (
  { engines, roles, report, isEngineUnavailable }: ProcessContext,
  signal: AbortSignal,
): Promise<boolean> => {
  const isProjector = roles.includes('projector');
  const attempt = async (): Promise<void> => {
    const [store, reads] = await Promise.all([engines.store(), engines.reads()]);
    if (isProjector) return catchUp(store, reads, projections);
    const head = await store.head();
    for (const model of models)
      while (!signal.aborted && !(await reads.waitForCheckpoint(model, head, checkpointTimeoutMs)));
  };
  let isReported = false;
  while (!signal.aborted) {
    try {
      await attempt();
      return !signal.aborted;
    } catch (error) {
      if (!isEngineUnavailable()) throw error;
      if (!isReported) report({ missing: engines.missing() }, 'waiting for the engines');
      isReported = true;
      await pause(retryIntervalMs, signal);
    }
  }
  return false;
};

const checkIntervalMs = 1_000;

/**
 * Watches read models on a server, once they are ready, until `signal` aborts. Calls `setReady` with false when their
 * storage was emptied or restored, and with true when they are rebuilt.
 */
export const watchReadModels = async (
  context: ProcessContext,
  setReady: (areReady: boolean) => void,
  signal: AbortSignal,
  intervalMs = checkIntervalMs,
): Promise<void> => {
  const reads = await context.engines.reads();
  if (!isRemoteEngine(reads)) return;
  let before: number[] = [];
  const areBehind = async (): Promise<boolean> => {
    const now = (await reads.servingGenerations(models)).map(({ position }) => position);
    const isBehind = now.some((position, index) => position < (before[index] ?? 0));
    before = now;
    return isBehind;
  };
  for (; !signal.aborted; await pause(intervalMs, signal)) {
    // An unavailable engine reports itself.
    if (!(await areBehind().catch(() => false))) continue;
    setReady(false);
    context.report({}, 'read models were emptied or restored: waiting until they are rebuilt');
    if (await waitForReadModels(context, signal)) setReady(true);
  }
};

import { pause } from '#libs/concurrency/pause.ts';
import { isRemoteEngine } from '#libs/engines/remote.ts';
import { projections } from '#libs/projections/all.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import type { ProcessContext } from './process-context.ts';

const models = projections.map(({ model }) => model);

const checkpointTimeoutMs = 500;
const retryIntervalMs = 500;
const rebuildMessage =
  'waiting until the leader of the projectors has rebuilt these read models. A leader of an earlier release does not: stop it';

/**
 * Waits until the read models are complete and have reached the end of the event log. A projector process updates them
 * itself, and the leader rebuilds incomplete ones. False when `signal` aborts first.
 */
export const waitForReadModels = async (
  { engines, roles, report, isEngineUnavailable }: ProcessContext,
  signal: AbortSignal,
): Promise<boolean> => {
  const isProjector = roles.includes('projector');
  let isRebuildReported = false;
  const waitUntilComplete = async (reads: ReadStore): Promise<void> => {
    while (!signal.aborted) {
      const incomplete = await reads.incompleteModels(models);
      if (incomplete.length === 0) return;
      if (!isRebuildReported) report({ models: incomplete }, rebuildMessage);
      isRebuildReported = true;
      await pause(retryIntervalMs, signal);
    }
  };
  const attempt = async (): Promise<void> => {
    const [store, reads] = await Promise.all([engines.store(), engines.reads()]);
    await waitUntilComplete(reads);
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
/** Completeness costs a command for each collection, so it is not part of each check. */
const checksForCompleteness = 5;

/**
 * Returns a check for read models that are incomplete, but were complete in the same generation. A newer release, whose
 * projector is replaced first, can rebuild a model without an index of this release: its documents are found all the same.
 */
const createLossCheck = (reads: ReadStore): (() => Promise<boolean>) => {
  const completeIn = new Map<string, string>();
  return async () => {
    const before = await reads.servingGenerations(models);
    const incomplete = new Set(await reads.incompleteModels(models));
    const after = await reads.servingGenerations(models);
    const judged = models.flatMap((model, index) => {
      const { generation } = after[index]!;
      return before[index]!.generation === generation ? [{ model, generation }] : [];
    });
    for (const { model, generation } of judged) if (!incomplete.has(model)) completeIn.set(model, generation);
    return judged.some(({ model, generation }) => incomplete.has(model) && completeIn.get(model) === generation);
  };
};

/**
 * Watches read models on a server, once they are ready, until `signal` aborts. Calls `setReady` with false when their
 * storage was emptied, restored or dropped in part, and with true when they are built again.
 */
export const watchReadModels = async (
  context: ProcessContext,
  setReady: (areReady: boolean) => void,
  signal: AbortSignal,
  intervalMs = checkIntervalMs,
): Promise<void> => {
  const reads = await context.engines.reads();
  if (!isRemoteEngine(reads)) return;
  const isPartLost = createLossCheck(reads);
  let before: number[] = [];
  let checks = 0;
  const areLost = async (): Promise<boolean> => {
    const now = (await reads.servingGenerations(models)).map(({ position }) => position);
    const isBehind = now.some((position, index) => position < (before[index] ?? 0));
    before = now;
    checks += 1;
    return isBehind || (checks % checksForCompleteness === 1 && (await isPartLost()));
  };
  for (; !signal.aborted; await pause(intervalMs, signal)) {
    // An unavailable engine reports itself.
    if (!(await areLost().catch(() => false))) continue;
    setReady(false);
    context.report({}, 'read models were emptied, restored or dropped: waiting until they are built again');
    if (await waitForReadModels(context, signal)) setReady(true);
  }
};

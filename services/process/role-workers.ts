import type { ProcessContext } from './process-context.ts';
import { type ProcessState, type WorkerRole, workerRolesOf } from './process-state.ts';
import type { ProcessRole, RunningRole } from './running-role.ts';
import { startDeliveryWorker, startProjector, startRelay, startSweeper } from './workers.ts';

const starters = {
  // Printing needs more code than all other roles together, which only a renderer loads.
  renderer: async (context) => (await import('./renderer-worker.ts')).startRenderer(context),
  delivery: startDeliveryWorker,
  relay: startRelay,
  projector: startProjector,
  sweeper: startSweeper,
} satisfies Record<WorkerRole, (context: ProcessContext) => Promise<RunningRole>>;

/** These roles wait for an event log that is not older than their checkpoints. */
export const rolesWithCheckpoints: ReadonlySet<ProcessRole> = new Set(['relay', 'projector', 'sweeper']);

/**
 * Starts the workers. `up` resolves when all run. A promise of `ended` rejects when its worker cannot start or
 * continue.
 */
export const startWorkers = (
  context: ProcessContext,
  state: ProcessState,
  verified: Promise<boolean>,
): { up: Promise<unknown>; ended: Promise<void>[] } => {
  const startWorker = async (name: WorkerRole): Promise<RunningRole | null> => {
    if (!(await verified)) return null;
    if (rolesWithCheckpoints.has(name) && !(await state.eventLogWatch?.verified)) return null;
    const running = await starters[name](context);
    state.workers.set(name, running);
    return running;
  };
  const starts = workerRolesOf(context).map(startWorker);
  state.starting = Promise.allSettled(starts);
  return { up: Promise.all(starts), ended: starts.map(async (worker) => (await worker)?.ended) };
};

/** Stops the renderer first: callers may wait for it, and the other roles must process what it completes. */
export const stopWorkers = async ({ workers, starting }: ProcessState): Promise<void> => {
  // A worker that starts during the shutdown must be stopped too.
  await starting;
  await workers.get('renderer')?.stop();
  await Promise.all([...workers.values()].map((worker) => worker.stop()));
};

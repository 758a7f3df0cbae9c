import { setTimeout as sleep } from 'node:timers/promises';
import { projections } from '#libs/projections/all.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import type { House } from './process-context.ts';

const lookEveryMs = 500;
const retryEveryMs = 500;

/** Resolves once the read models show what was in the log when it first could be asked; a process that projects brings them there itself. False when `signal` aborts before. */
export const readModelsCaughtUp = async ({ engines, roles, report, isAway }: House, signal: AbortSignal): Promise<boolean> => {
  const projects = roles.includes('projector');
  const attempt = async (): Promise<void> => {
    const [store, reads] = await Promise.all([engines.store(), engines.reads()]);
    if (projects) return catchUp(store, reads.writer(), projections);
    const head = await store.head();
    for (const { model } of projections) while (!signal.aborted && !(await reads.reached(model, head, lookEveryMs)));
  };
  let told = false;
  while (!signal.aborted) {
    try {
      await attempt();
      return !signal.aborted;
    } catch (error) {
      if (!isAway()) throw error;
      if (!told) report({ missing: engines.missing() }, 'waiting for the engines');
      told = true;
      await sleep(retryEveryMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return false;
};

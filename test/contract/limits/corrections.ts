import fc from 'fast-check';
import { expect } from 'vitest';
import type { RenderOutcome, Limits, CountedRender } from '#libs/limits/port.ts';
import type { ContractCases } from '../../support/contract/describe-contract.ts';
import {
  noon,
  newRenderToCount,
  readQuotaUsed,
  type LimitsUnderTest,
} from '../../support/contract/limits-under-test.ts';

const perMonth = 4;
const steps = [
  'take',
  'accept',
  'accept without confirming',
  'fail',
  'crash',
  'refund',
  'project',
  'stop the projector',
  'continue the projector',
  'correct',
  'correct with an older usage',
  'correct in parallel',
] as const;
type Step = (typeof steps)[number];

/** An account whose renders are counted, fail and get lost. `expectedCount` is how many of its renders count, including running ones. */
const accountOf = (engine: Limits, usage: LimitsUnderTest['usage'], id: string) => {
  const running: CountedRender[] = [];
  const accepted = new Map<string, number>();
  const crashed = new Set<string>();
  let [position, refunded] = [0, 0];
  const projected = [{ used: 0, lastPosition: 0 }];
  const project = async (): Promise<void> => {
    projected.push({ used: accepted.size - refunded, lastPosition: position });
    usage.set(id, '2026-05', projected.at(-1)!);
  };
  let isStopped = false;
  usage.caughtUp = () => (isStopped ? Promise.reject(new Error('behind')) : project());
  const expectedCount = (): number => accepted.size - refunded + running.length;
  const outcomeOf = async (render: string): Promise<RenderOutcome> =>
    accepted.get(render) ?? (crashed.has(render) ? 'never' : 'pending');
  const correct = (): Promise<void> => engine.correctCounters(outcomeOf, noon);
  const take = async (): Promise<void> => {
    const render = newRenderToCount(id, perMonth);
    const { allowed } = await engine.countRender(render);
    if (allowed) running.push(render);
    expect(expectedCount()).toBeLessThanOrEqual(perMonth);
  };
  const accept = async (isConfirmed: boolean): Promise<void> => {
    const render = running.shift();
    if (!render) return;
    accepted.set(render.id, (position += 1));
    if (isConfirmed) await engine.confirmOrReleaseRender(render, position);
  };
  const actions: Record<Step, () => Promise<unknown>> = {
    take,
    accept: () => accept(true),
    'accept without confirming': () => accept(false),
    fail: async () => {
      const render = running.shift();
      if (render) await engine.confirmOrReleaseRender(render, null);
    },
    crash: async () => void crashed.add(running.shift()?.id ?? ''),
    refund: async () => {
      if (refunded < accepted.size) [position, refunded] = [position + 1, refunded + 1];
    },
    project,
    'stop the projector': async () => void (isStopped = true),
    'continue the projector': async () => void (isStopped = false),
    correct,
    // A process may read the replaced generation of a read model for a moment, unless it waits until that has caught up.
    'correct with an older usage': async () => {
      isStopped = true;
      const older = projected.findLast(({ lastPosition }) => lastPosition < projected.at(-1)!.lastPosition);
      if (older) usage.set(id, '2026-05', older);
      await correct();
    },
    'correct in parallel': () => Promise.all([correct(), correct(), take(), accept(true), take()]),
  };
  return { run: (step: Step) => actions[step](), correct, expectedCount };
};

/** How corrections fix the counts after crashes and failures. */
export const correctionCases: ContractCases<LimitsUnderTest> = {
  'after crashes the quota is never exceeded, and a correction sets the exact count': async ({ engine, usage }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.uuid(),
        fc.array(fc.constantFrom(...steps, 'take', 'accept'), { maxLength: 30 }),
        async (id, history) => {
          const account = accountOf(engine, usage, id);
          // A counter starts only from a usage that has caught up.
          expect(await readQuotaUsed(engine, id)).toBe(0);
          for (const step of history) {
            await account.run(step);
            expect(await readQuotaUsed(engine, id)).toBeGreaterThanOrEqual(account.expectedCount());
          }
          await account.run('continue the projector');
          await account.run('project');
          await account.correct();
          expect(await readQuotaUsed(engine, id)).toBe(account.expectedCount());
        },
      ),
      { numRuns: 25 },
    );
  },
};

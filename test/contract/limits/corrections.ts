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
  'accept unheard',
  'fail',
  'crash',
  'give back',
  'project',
  'correct',
  'correct beside',
] as const;
type Step = (typeof steps)[number];

/** An account whose renders come, fail and are lost; `truly` is how many of its renders count, those under way included. */
const accountOf = (engine: Limits, usage: LimitsUnderTest['usage'], id: string) => {
  const underWay: CountedRender[] = [];
  const accepted = new Map<string, number>();
  const crashed = new Set<string>();
  let [position, givenBack] = [0, 0];
  const project = async (): Promise<void> =>
    usage.set(id, '2026-05', { used: accepted.size - givenBack, lastPosition: position });
  usage.caughtUp = project;
  const truly = (): number => accepted.size - givenBack + underWay.length;
  const fateOf = async (render: string): Promise<RenderOutcome> =>
    accepted.get(render) ?? (crashed.has(render) ? 'never' : 'pending');
  const correct = (): Promise<void> => engine.correctCounters(fateOf, noon);
  const take = async (): Promise<void> => {
    const render = newRenderToCount(id, perMonth);
    const { allowed } = await engine.countRender(render);
    if (allowed) underWay.push(render);
    expect(truly()).toBeLessThanOrEqual(perMonth);
  };
  const accept = async (isHeard: boolean): Promise<void> => {
    const render = underWay.shift();
    if (!render) return;
    accepted.set(render.id, (position += 1));
    if (isHeard) await engine.confirmOrReleaseRender(render, position);
  };
  const actions: Record<Step, () => Promise<unknown>> = {
    take,
    accept: () => accept(true),
    'accept unheard': () => accept(false),
    fail: async () => {
      const render = underWay.shift();
      if (render) await engine.confirmOrReleaseRender(render, null);
    },
    crash: async () => void crashed.add(underWay.shift()?.id ?? ''),
    'give back': async () => {
      if (givenBack < accepted.size) [position, givenBack] = [position + 1, givenBack + 1];
    },
    project,
    correct,
    'correct beside': () => Promise.all([correct(), correct(), take(), accept(true), take()]),
  };
  return { run: (step: Step) => actions[step](), project, correct, truly };
};

/** What a correction makes of whatever happened. */
export const correctionCases: ContractCases<LimitsUnderTest> = {
  'whatever crashes and comes back, no more pass than the quota allows, and after a correction exactly what counts is counted':
    async ({ engine, usage }) => {
      await fc.assert(
        fc.asyncProperty(
          fc.uuid(),
          fc.array(fc.constantFrom(...steps, 'take', 'accept'), { maxLength: 30 }),
          async (id, history) => {
            const account = accountOf(engine, usage, id);
            for (const step of history) await account.run(step);
            await account.project();
            await account.correct();
            expect(await readQuotaUsed(engine, id)).toBe(account.truly());
          },
        ),
        { numRuns: 60 },
      );
    },
};

import { expect, it } from 'vitest';
import type { ProcessContext } from './process-context.ts';
import { waitForReadModels, watchReadModels } from './read-models-watch.ts';

/** The context of a process of the API, with read models on a server. `state` is what the server has. */
const openContext = () => {
  const state = { incomplete: [] as string[], position: 7, generation: '', checks: 0, completenessChecks: 0 };
  const reports: [fields: object, message: string][] = [];
  const reads = {
    missing: () => null,
    servingGenerations: async (models: readonly string[]) => {
      state.checks += 1;
      return models.map(() => ({ generation: state.generation, position: state.position }));
    },
    incompleteModels: async () => {
      state.completenessChecks += 1;
      return state.incomplete;
    },
    waitForCheckpoint: async () => true,
  };
  const report = (fields: object, message: string): void => {
    reports.push([fields, message]);
    state.incomplete = [];
  };
  const engines = { reads: async () => reads, store: async () => ({ head: async () => 7 }), missing: () => [] };
  const context = { engines, roles: ['api'], report, isEngineUnavailable: () => false } as unknown as ProcessContext;
  return { context, state, reports };
};

it('A process that waits for a rebuild says of which read models, and what to do about an earlier release', async () => {
  const { context, state, reports } = openContext();
  state.incomplete = ['people'];
  expect(await waitForReadModels(context, new AbortController().signal)).toBe(true);
  expect(reports).toEqual([[{ models: ['people'] }, expect.stringContaining('earlier release')]]);
});

it.each([
  ['emptied', { position: 0 }],
  ['dropped in part', { incomplete: ['people'] }],
])('A process is not ready while its read models were %s', async (_, loss) => {
  const { context, state } = openContext();
  const stop = new AbortController();
  const seen: boolean[] = [];
  const watching = watchReadModels(context, (areReady) => seen.push(areReady), stop.signal, 1);
  await expect.poll(() => state.completenessChecks).toBeGreaterThan(0);
  Object.assign(state, loss);
  await expect.poll(() => seen).toEqual([false, true]);
  stop.abort();
  await watching;
});

it('A process stays ready when a newer release has rebuilt a read model with other indexes', async () => {
  const { context, state } = openContext();
  const stop = new AbortController();
  const seen: boolean[] = [];
  const watching = watchReadModels(context, (areReady) => seen.push(areReady), stop.signal, 1);
  await expect.poll(() => state.completenessChecks).toBeGreaterThan(0);
  Object.assign(state, { generation: 'newer', incomplete: ['people'] });
  const checked = state.completenessChecks;
  await expect.poll(() => state.completenessChecks).toBeGreaterThan(checked + 2);
  stop.abort();
  await watching;
  expect(seen).toEqual([]);
});

it('A process without losses seldom asks for all collections', async () => {
  const { context, state } = openContext();
  const stop = new AbortController();
  const watching = watchReadModels(context, () => undefined, stop.signal, 1);
  await expect.poll(() => state.checks).toBeGreaterThan(50);
  stop.abort();
  await watching;
  expect(state.completenessChecks).toBeLessThan(state.checks / 5);
});

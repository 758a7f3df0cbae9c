import { expect, test } from 'vitest';
import { correctEach } from './correct-each.ts';

/** Corrects counters, of which `false` ones fail. Returns the tried ones and the error. */
const correct = async (counters: readonly boolean[]) => {
  const tried: boolean[] = [];
  const error = await correctEach(counters, async (succeeds) => {
    tried.push(succeeds);
    if (!succeeds) throw new Error('no connection');
  }).catch((reason: unknown) => reason);
  return { tried, error };
};

test('Counters are corrected beside some that fail', async () => {
  const counters = [false, false, true, false, false, true];
  const { tried, error } = await correct(counters);
  expect(tried).toEqual(counters);
  expect(error).toMatchObject({ message: '4 counters failed, the first with Error: no connection' });
});

test('No counter is tried after three that fail in a row', async () => {
  const { tried } = await correct([true, false, false, false, true, true]);
  expect(tried).toEqual([true, false, false, false]);
});

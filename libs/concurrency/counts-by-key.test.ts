import { expect, it } from 'vitest';
import { createCountsByKey } from './counts-by-key.ts';

it('Each key has a count of its own, and the total is their sum', () => {
  const counts = createCountsByKey();
  for (const key of ['a', 'a', 'b']) counts.change(key, 1);
  expect([counts.of('a'), counts.of('b'), counts.of('c'), counts.total()]).toEqual([2, 1, 0, 3]);
  for (const key of ['a', 'b']) counts.change(key, -1);
  expect([counts.of('a'), counts.of('b'), counts.total()]).toEqual([1, 0, 1]);
});

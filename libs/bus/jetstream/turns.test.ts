import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

const taken = (turns: ReturnType<typeof createTurns>, count: number): (string | undefined)[] =>
  Array.from({ length: count }, () => {
    const group = turns.pick();
    if (group !== undefined) turns.wake(group);
    return group;
  });

test('Groups that always have something take turns, and one that comes later waits for one round at most', () => {
  const turns = createTurns();
  for (const group of ['a', 'b', 'c']) turns.wake(group);
  expect(taken(turns, 4)).toEqual(['a', 'b', 'c', 'a']);
  turns.wake('d');
  expect(taken(turns, 4)).toEqual(['b', 'c', 'a', 'd']);
});

test('A group that is passed over keeps its turn', () => {
  const turns = createTurns();
  for (const group of ['a', 'b', 'c']) turns.wake(group);
  expect([turns.pick(new Set(['a', 'b'])), turns.pick(new Set(['a', 'b'])), turns.pick()]).toEqual(['c', undefined, 'a']);
});

test('A group that gets something while it is looked into neither rests nor is forgotten', () => {
  const turns = createTurns();
  turns.wake('a');
  turns.pick();
  turns.wake('a');
  turns.rest('a', 10);
  turns.forget('a');
  expect([turns.any(), turns.due(99, 9), turns.pick()]).toEqual([true, [], 'a']);
});

test('Groups that rest are due when their time has come, so many at once, and not twice', () => {
  const turns = createTurns();
  for (const [group, at] of [['a', 5], ['b', 6], ['c', 7], ['d', 8]] as const) turns.rest(group, at);
  expect(turns.any()).toBe(false);
  expect([turns.due(4, 9), turns.due(7, 2), turns.due(7, 9), turns.due(8, 9), turns.due(9, 9)]).toEqual([[], ['a', 'b'], ['c'], ['d'], []]);
});

test('A group is never in the list twice, whatever happens to it', () => {
  const step = fc.record({ act: fc.constantFrom('wake', 'rest', 'pick', 'due', 'forget'), group: fc.constantFrom('a', 'b', 'c') });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const turns = createTurns();
      for (const [time, { act, group }] of steps.entries()) {
        if (act === 'wake') turns.wake(group);
        if (act === 'rest') turns.rest(group, time);
        if (act === 'forget') turns.forget(group);
        if (act === 'pick') turns.pick();
        if (act === 'due') turns.due(time, 9);
      }
      const all: string[] = [...turns.due(Infinity, 9)];
      for (let group = turns.pick(); group !== undefined; group = turns.pick()) all.push(group);
      expect(new Set(all).size).toBe(all.length);
    }),
  );
});

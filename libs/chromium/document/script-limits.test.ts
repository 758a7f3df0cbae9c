import { expect, test } from 'vitest';
import { createPromiseTimeCounter } from './script-limits.ts';

const metricsAt = (Timestamp: number, TaskOtherDuration: number, ThreadTime: number, DevToolsCommandDuration = 0) => ({
  Timestamp,
  TaskOtherDuration,
  ThreadTime,
  DevToolsCommandDuration,
});

test('continuous work of a page that waits for a processor is counted in its processor time', () => {
  const count = createPromiseTimeCounter();
  expect(count(metricsAt(0, 0, 0), 1)).toBe(0);
  expect(count(metricsAt(4, 4, 0.5), 1000)).toBe(500);
  expect(count(metricsAt(8, 8, 1.25), 1000)).toBe(1250);
});

test('a response that waits for a processor does not interrupt continuous work', () => {
  const count = createPromiseTimeCounter();
  count(metricsAt(0, 0, 0), 1);
  expect(count(metricsAt(1, 0.5, 0.25, 0.5), 500)).toBe(250);
});

test('work is not counted if it blocks the responses of the page, or if the page also waits', () => {
  const count = createPromiseTimeCounter();
  count(metricsAt(0, 0, 0), 1);
  expect(count(metricsAt(1, 1, 1), 10)).toBe(1000);
  expect(count(metricsAt(2, 2, 2), 400)).toBe(0);
  expect(count(metricsAt(3, 3, 3), 10)).toBe(1000);
  expect(count(metricsAt(4, 3.5, 3.5), 10)).toBe(0);
});

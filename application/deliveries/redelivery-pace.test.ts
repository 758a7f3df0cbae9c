import { expect, test } from 'vitest';
import { createRedeliveryPace } from './redelivery-pace.ts';

const at = (ms: number): Date => new Date(Date.UTC(2026, 2, 2) + ms);

test('Redeliveries to a receiver start one after the other; other receivers and accounts do not wait', () => {
  const pace = createRedeliveryPace();
  expect([1, 2, 3].map(() => pace.next('a', 'one', at(0)))).toEqual([at(0), at(50), at(100)]);
  expect(pace.next('a', 'two', at(0))).toEqual(at(0));
  expect(pace.next('b', 'one', at(0))).toEqual(at(0));
  expect(pace.next('a', 'one', at(120))).toEqual(at(150));
  expect(pace.next('a', 'one', at(10_000))).toEqual(at(10_000));
});

test('A redelivery is planned at most a minute ahead', () => {
  const pace = createRedeliveryPace();
  const starts = Array.from({ length: 1_202 }, () => pace.next('a', 'one', at(0)));
  expect(starts.at(-2)).toEqual(at(60_000));
  expect(starts.at(-1)).toBeNull();
  expect(pace.next('a', 'one', at(50))).toEqual(at(60_050));
});

test('When the clock was set back, the times of before do not count', () => {
  const pace = createRedeliveryPace();
  pace.next('a', 'one', at(3_600_000));
  expect(pace.next('a', 'one', at(0))).toEqual(at(0));
});

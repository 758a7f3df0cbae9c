import { expect, test } from 'vitest';
import { axisTimes } from './axis-times.ts';

const hour = 3600;
const day = 24 * hour;
const local = (hours: number, minutes = 0): number => new Date(2026, 10, 29, hours, minutes).getTime() / 1000;
const utc = (month: number, date: number, hours = 0): number => Date.UTC(2026, month, date, hours) / 1000;

test('An axis names hours, and at midnight the day, as the reader writes them', () => {
  const times = [local(20), local(20, 30), local(24)];
  expect(axisTimes(false, 'de')(times, hour)).toEqual(['20 Uhr', '', '30.11.']);
  expect(axisTimes(false, 'en-US')(times, hour)).toEqual(['8 PM', '', '11/30']);
});

test('A daily axis names days and months of UTC once each', () => {
  expect(axisTimes(true, 'de')([utc(10, 1), utc(10, 1, 12), utc(10, 2)], day / 2)).toEqual(['1.11.', '', '2.11.']);
  expect(axisTimes(true, 'de')([utc(9, 1), utc(10, 1)], 31 * day)).toEqual(['Okt', 'Nov']);
});

import { describe, expect, it } from 'vitest';
import { readModels } from '#contracts/names.ts';
import { positionText } from '#libs/projections/audit.ts';
import type { Query } from '#libs/read-store/port.ts';
import { createMissedEventReader } from './missed-events.ts';

const stream = 'render-01JR04W1PD2M5S8V3Q6X9Z7TKF';
const subject = 'render_01JR04W1PD2M5S8V3Q6X9Z7TKF';

/** The audit of an account with `count` events, at the positions from 1 on. */
const readerOf = (count: number, { isBehind = false } = {}) => {
  const all = Array.from({ length: count }, (_, index) => ({
    type: 'RenderStarted',
    stream,
    position: positionText(index + 1),
  }));
  return createMissedEventReader({
    waitForCheckpoint: async (model) => model === readModels.audit && !isBehind,
    find: async (_, { range, limit }: Query) =>
      all.filter(({ position }) => position >= range!.from! && position < range!.before!).slice(0, limit),
  });
};

describe('The events that a reader of a live stream has missed', () => {
  it('are those after its position, up to that of the stream', async () => {
    const event = (position: number) => ({ type: 'RenderStarted', subject, position });
    expect(await readerOf(9)('a', 3, 6)).toEqual([event(4), event(5), event(6)]);
    expect(await readerOf(9, { isBehind: true })('a', 9, 9)).toEqual([]);
  });

  it('are too many if they are more than 2,000', async () => {
    expect(await readerOf(2_000)('a', 0, 2_000)).toHaveLength(2_000);
    expect(await readerOf(2_001)('a', 0, 2_001)).toBe('too many');
  });

  it('are unknown while the audit is behind', async () => {
    expect(await readerOf(9, { isBehind: true })('a', 3, 6)).toBe('too many');
  });
});

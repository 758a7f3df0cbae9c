import { describe, expect, it } from 'vitest';
import { throttleBatches } from './throttle-batches.ts';
import type { RecordedEvent } from './port.ts';

/** A subscription that returns all available events at once, and a clock that only pauses and the test advance. */
const openTestSubscription = () => {
  const at = { now: 0, next: 1, waiting: [] as RecordedEvent[], pauses: [] as number[] };
  const addEvents = (count: number): void => {
    for (let index = 0; index < count; index += 1) at.waiting.push({ position: at.next++ } as RecordedEvent);
  };
  async function* batches(): AsyncGenerator<RecordedEvent[]> {
    while (at.waiting.length > 0) yield at.waiting.splice(0);
  }
  const time = {
    now: () => at.now,
    pause: async (ms: number) => {
      at.pauses.push(ms);
      at.now += ms;
      addEvents(2);
    },
  };
  return { at, addEvents, subscribe: () => throttleBatches(batches(), new AbortController().signal, 50, time) };
};

describe('Throttled batches', () => {
  it('deliver the first event at once, and later events together', async () => {
    const { addEvents, subscribe } = openTestSubscription();
    addEvents(1);
    const sizes: number[] = [];
    for await (const batch of subscribe()) {
      sizes.push(batch.length);
      addEvents(1);
      if (sizes.length === 3) break;
    }
    expect(sizes).toEqual([1, 3, 3]);
  });

  it('count the processing time of the subscriber as a part of the pause', async () => {
    const { at, addEvents, subscribe } = openTestSubscription();
    addEvents(1);
    let turns = 0;
    for await (const _ of subscribe()) {
      at.now += turns === 0 ? 30 : 70;
      addEvents(1);
      if (++turns === 3) break;
    }
    expect(at.pauses).toEqual([20]);
  });

  it('have no pause after a full batch', async () => {
    const { at, addEvents, subscribe } = openTestSubscription();
    addEvents(128);
    for await (const _ of subscribe());
    expect(at.pauses).toEqual([]);
  });
});

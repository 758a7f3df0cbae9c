import { describe, expect, it } from 'vitest';
import { throttleBatches } from './throttle-batches.ts';
import type { RecordedEvent } from './port.ts';

/** A log that gives all it has at each asking, fed by the test; and a clock that goes on by pauses and by work alone. */
const stage = () => {
  const at = { now: 0, next: 1, waiting: [] as RecordedEvent[], pauses: [] as number[] };
  const happen = (count: number): void => {
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
      happen(2);
    },
  };
  return { at, happen, follow: () => throttleBatches(batches(), new AbortController().signal, 50, time) };
};

describe('Events that are gathered', () => {
  it('come at once after silence, and those of the next moment together', async () => {
    const { happen, follow } = stage();
    happen(1);
    const sizes: number[] = [];
    for await (const batch of follow()) {
      sizes.push(batch.length);
      happen(1);
      if (sizes.length === 3) break;
    }
    expect(sizes).toEqual([1, 3, 3]);
  });

  it('are not waited for longer because their follower takes its time', async () => {
    const { at, happen, follow } = stage();
    happen(1);
    let turns = 0;
    for await (const _ of follow()) {
      at.now += turns === 0 ? 30 : 70;
      happen(1);
      if (++turns === 3) break;
    }
    expect(at.pauses).toEqual([20]);
  });

  it('are not waited for at all when there are many', async () => {
    const { at, happen, follow } = stage();
    happen(256);
    for await (const _ of follow());
    expect(at.pauses).toEqual([]);
  });
});

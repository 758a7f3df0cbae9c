import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RecordedEvent } from '../port.ts';
import { newestEventSearch } from './newest-event.ts';

type Entry = { position: number; isOwn: boolean };

/** A log, and the number of its entries that were read. */
const openLog = (entries: Entry[]) => {
  let read = 0;
  const search = newestEventSearch(async (count, before = Infinity) => {
    const found = entries.filter(({ position }) => position < before).slice(-count);
    read += found.length;
    const events = found.filter(({ isOwn }) => isOwn).map(({ position }) => ({ position }) as RecordedEvent);
    return { events: events.toReversed(), count: found.length, end: found[0]?.position ?? 0 };
  });
  return { search, readCount: () => read };
};
const newestOwn = (entries: Entry[]): number => entries.findLast(({ isOwn }) => isOwn)?.position ?? 0;

it('The newest event of the service is found after any appends, and after a restore of an older log', async () => {
  const runs = fc.array(fc.record({ foreign: fc.nat(1200), isRestored: fc.boolean(), hasOwn: fc.boolean() }), {
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(runs, async (steps) => {
      const entries: Entry[] = [];
      const { search } = openLog(entries);
      let position = 0;
      for (const { foreign, isRestored, hasOwn } of steps) {
        if (isRestored) entries.length = Math.floor(entries.length / 2);
        else {
          if (hasOwn) entries.push({ position: (position += 7), isOwn: true });
          for (let left = foreign; left > 0; left -= 1) entries.push({ position: (position += 7), isOwn: false });
        }
        position = entries.at(-1)?.position ?? 0;
        expect(await search()).toBe(newestOwn(entries));
      }
    }),
  );
});

it('Events of other applications are read once', async () => {
  const entries = Array.from({ length: 3000 }, (_, index) => ({ position: index + 1, isOwn: index === 0 }));
  const { search, readCount } = openLog(entries);
  expect(await search()).toBe(1);
  expect(readCount()).toBeGreaterThanOrEqual(3000);
  const before = readCount();
  expect(await search()).toBe(1);
  expect(readCount()).toBe(before + 1);
  entries.push({ position: 3001, isOwn: false });
  expect(await search()).toBe(1);
  expect(readCount()).toBeLessThan(before + 1000);
});

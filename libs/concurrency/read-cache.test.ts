import { describe, expect, it } from 'vitest';
import { openReadCache } from './read-cache.ts';

/** A cache over one document, with a clock and a count of reads. */
const openTestCache = (forMs: number) => {
  const at = {
    stored: { version: 1 } as { version: number } | null,
    now: 1,
    reads: 0,
    whileReading: (): void => undefined,
  };
  const read = async (): Promise<{ version: number } | null> => {
    at.reads += 1;
    const found = at.stored;
    at.whileReading();
    return found;
  };
  return { at, cache: openReadCache(read, forMs, () => at.now) };
};

describe('A cached document', () => {
  it('is used for the set time and then read again', async () => {
    const { at, cache } = openTestCache(200);
    for (at.now of [1, 100, 201]) expect(await cache.find('x')).toEqual({ version: 1 });
    expect(at.reads).toBe(1);
    at.stored = { version: 2 };
    at.now = 202;
    expect(await cache.find('x')).toEqual({ version: 2 });
  });

  it('has its age counted from the start of the read', async () => {
    const { at, cache } = openTestCache(200);
    at.whileReading = () => {
      at.now = 1_000;
      at.stored = { version: 2 };
    };
    expect(await cache.find('x')).toEqual({ version: 1 });
    expect(await cache.find('x')).toEqual({ version: 2 });
  });

  it('is not cached when it is missing, because it may appear at any moment', async () => {
    const { at, cache } = openTestCache(200);
    at.stored = null;
    expect(await cache.find('x')).toBeNull();
    at.stored = { version: 1 };
    expect(await cache.find('x')).not.toBeNull();
  });

  it('is evicted when there are too many, the least recently used first', async () => {
    const { at, cache } = openTestCache(200);
    for (let id = 0; id < 6_000; id += 1) await cache.find(`${id}`);
    at.reads = 0;
    for (const id of ['5999', '0']) await cache.find(id);
    expect(at.reads).toBe(1);
  });

  it('is read every time when caching is off', async () => {
    const { at, cache } = openTestCache(0);
    for (let time = 0; time < 3; time += 1) await cache.find('x');
    expect(at.reads).toBe(3);
  });
});

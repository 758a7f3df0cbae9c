import { describe, expect, it } from 'vitest';
import { openReadCache } from './read-cache.ts';

/** Something that can be read, a clock, and how often it was read. */
const openTestCache = (forMs: number) => {
  const at = {
    there: { version: 1 } as { version: number } | null,
    now: 1,
    asked: 0,
    whileReading: (): void => undefined,
  };
  const read = async (): Promise<{ version: number } | null> => {
    at.asked += 1;
    const found = at.there;
    at.whileReading();
    return found;
  };
  return { at, known: openReadCache(read, forMs, () => at.now) };
};

describe('What was read', () => {
  it('is known for as long as is said, and read again then', async () => {
    const { at, known } = openTestCache(200);
    for (at.now of [1, 100, 201]) expect(await known.find('x')).toEqual({ version: 1 });
    expect(at.asked).toBe(1);
    at.there = { version: 2 };
    at.now = 202;
    expect(await known.find('x')).toEqual({ version: 2 });
  });

  it('is as old as the question, not as the answer', async () => {
    const { at, known } = openTestCache(200);
    at.whileReading = () => {
      at.now = 1_000;
      at.there = { version: 2 };
    };
    expect(await known.find('x')).toEqual({ version: 1 });
    expect(await known.find('x')).toEqual({ version: 2 });
  });

  it('is not known to be missing, since the next moment may bring it', async () => {
    const { at, known } = openTestCache(200);
    at.there = null;
    expect(await known.find('x')).toBeNull();
    at.there = { version: 1 };
    expect(await known.find('x')).not.toBeNull();
  });

  it('is not known for ever more ids: those asked for longest ago go', async () => {
    const { at, known } = openTestCache(200);
    for (let id = 0; id < 6_000; id += 1) await known.find(`${id}`);
    at.asked = 0;
    for (const id of ['5999', '0']) await known.find(id);
    expect(at.asked).toBe(1);
  });

  it('is never known where nothing is to be', async () => {
    const { at, known } = openTestCache(0);
    for (let time = 0; time < 3; time += 1) await known.find('x');
    expect(at.asked).toBe(3);
  });
});

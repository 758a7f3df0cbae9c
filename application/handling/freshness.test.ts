import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openKnown } from '#libs/read-store/known.ts';
import { createFreshness } from './freshness.ts';

/** Read models that have come so far, and which of them were asked how far that is. */
const readModelsAt = (positions: Record<string, number>) => {
  const asked: string[] = [];
  const reached = async (model: string, position: number): Promise<boolean> => {
    asked.push(`${model} ${position}`);
    return positions[model]! >= position;
  };
  return { reached, asked };
};

describe('A query', () => {
  it('waits for the last of its own writes, in whatever order they are told of', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1 }), async (positions) => {
        const last = Math.max(...positions);
        const { reached, asked } = readModelsAt({ templates: last });
        const freshness = createFreshness({ reached });
        for (const position of positions) freshness.wrote('a', position, 'templates');
        await freshness.settled('a', 'templates');
        expect(asked).toEqual([`templates ${last}`]);
      }),
    );
  });

  it('does not wait for what others wrote, nor for what other read models show', async () => {
    const { reached, asked } = readModelsAt({ templates: 0, renders: 0 });
    const freshness = createFreshness({ reached });
    freshness.wrote('a', 5, 'renders');
    freshness.wrote('b', 6, 'templates');
    await freshness.settled('a', 'templates');
    expect(asked).toEqual([]);
  });

  it('is refused rather than answered with what was before the write', async () => {
    const freshness = createFreshness(readModelsAt({ templates: 4, renders: 9 }));
    freshness.wrote('a', 5, 'templates', 'renders');
    await expect(freshness.settled('a', 'templates', 'renders')).rejects.toMatchObject({ fault: { name: 'service_unavailable', extra: { retry_after: 1 } } });
    await expect(freshness.settled('a', 'renders')).resolves.toBeUndefined();
  });

  it('asks no more for what has been shown once, and still for what was written meanwhile', async () => {
    const looking = Promise.withResolvers<boolean>();
    const asked: number[] = [];
    const reached = (_: string, position: number): Promise<boolean> => (asked.push(position), position === 5 ? looking.promise : Promise.resolve(true));
    const freshness = createFreshness({ reached });
    freshness.wrote('a', 5, 'templates');
    const first = freshness.settled('a', 'templates');
    freshness.wrote('a', 6, 'templates');
    looking.resolve(true);
    await first;
    for (let time = 0; time < 3; time += 1) await freshness.settled('a', 'templates');
    expect(asked).toEqual([5, 6]);
  });

  it('asks again for what was not shown in time', async () => {
    const { reached, asked } = readModelsAt({ templates: 4 });
    const freshness = createFreshness({ reached });
    freshness.wrote('a', 5, 'templates');
    for (let time = 0; time < 2; time += 1) await expect(freshness.settled('a', 'templates')).rejects.toThrow();
    expect(asked).toEqual(['templates 5', 'templates 5']);
  });
});

describe('A write that is settled everywhere', () => {
  it('is seen by processes that know for a moment what they have read', async () => {
    const forMs = 100;
    const now = { version: 1 };
    const elsewhere = openKnown(async () => ({ ...now }), forMs);
    await elsewhere.find('x');
    now.version = 2;
    const freshness = createFreshness(readModelsAt({ templates: 5 }), forMs);
    freshness.wrote('a', 5, 'templates');
    await freshness.settledEverywhere('a', 'templates');
    expect(await elsewhere.find('x')).toEqual({ version: 2 });
  });

  it('is not said to be when the read models lie behind', async () => {
    const freshness = createFreshness(readModelsAt({ templates: 4 }), 1);
    freshness.wrote('a', 5, 'templates');
    await expect(freshness.settledEverywhere('a', 'templates')).rejects.toMatchObject({ fault: { name: 'service_unavailable' } });
  });
});

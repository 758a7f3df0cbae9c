import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openReadCache } from '#libs/concurrency/read-cache.ts';
import { createReadYourWrites } from './read-your-writes.ts';

/** Read models that have come so far, and which of them were asked how far that is. */
const readModelsAt = (positions: Record<string, number>) => {
  const asked: string[] = [];
  const reached = async (model: string, position: number): Promise<boolean> => {
    asked.push(`${model} ${position}`);
    return positions[model]! >= position;
  };
  return { waitForCheckpoint: reached, asked };
};

describe('A query', () => {
  it('waits for the last write of its account, in whatever order writes are recorded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1 }), async (positions) => {
        const last = Math.max(...positions);
        const { waitForCheckpoint: reached, asked } = readModelsAt({ templates: last });
        const freshness = createReadYourWrites({ waitForCheckpoint: reached });
        for (const position of positions) freshness.recordWrite('a', position, 'templates');
        await freshness.waitForWrites('a', 'templates');
        expect(asked).toEqual([`templates ${last}`]);
      }),
    );
  });

  it('does not wait for other accounts or other read models', async () => {
    const { waitForCheckpoint: reached, asked } = readModelsAt({ templates: 0, renders: 0 });
    const freshness = createReadYourWrites({ waitForCheckpoint: reached });
    freshness.recordWrite('a', 5, 'renders');
    freshness.recordWrite('b', 6, 'templates');
    await freshness.waitForWrites('a', 'templates');
    expect(asked).toEqual([]);
  });

  it('fails instead of returning old data', async () => {
    const freshness = createReadYourWrites(readModelsAt({ templates: 4, renders: 9 }));
    freshness.recordWrite('a', 5, 'templates', 'renders');
    await expect(freshness.waitForWrites('a', 'templates', 'renders')).rejects.toMatchObject({
      fields: { name: 'service_unavailable', extra: { retry_after: 1 } },
    });
    await expect(freshness.waitForWrites('a', 'renders')).resolves.toBeUndefined();
  });

  it('does not wait again for a write that was visible, but for later writes', async () => {
    const looking = Promise.withResolvers<boolean>();
    const asked: number[] = [];
    const reached = (_: string, position: number): Promise<boolean> => (
      asked.push(position),
      position === 5 ? looking.promise : Promise.resolve(true)
    );
    const freshness = createReadYourWrites({ waitForCheckpoint: reached });
    freshness.recordWrite('a', 5, 'templates');
    const first = freshness.waitForWrites('a', 'templates');
    freshness.recordWrite('a', 6, 'templates');
    looking.resolve(true);
    await first;
    for (let time = 0; time < 3; time += 1) await freshness.waitForWrites('a', 'templates');
    expect(asked).toEqual([5, 6]);
  });

  it('waits again after a timeout', async () => {
    const { waitForCheckpoint: reached, asked } = readModelsAt({ templates: 4 });
    const freshness = createReadYourWrites({ waitForCheckpoint: reached });
    freshness.recordWrite('a', 5, 'templates');
    for (let time = 0; time < 2; time += 1) await expect(freshness.waitForWrites('a', 'templates')).rejects.toThrow();
    expect(asked).toEqual(['templates 5', 'templates 5']);
  });
});

describe('Waiting for writes in all processes', () => {
  it('also waits until read caches have expired', async () => {
    const forMs = 100;
    const now = { version: 1 };
    const elsewhere = openReadCache(async () => ({ ...now }), forMs);
    await elsewhere.find('x');
    now.version = 2;
    const freshness = createReadYourWrites(readModelsAt({ templates: 5 }), forMs);
    freshness.recordWrite('a', 5, 'templates');
    await freshness.waitForWritesEverywhere('a', 'templates');
    expect(await elsewhere.find('x')).toEqual({ version: 2 });
  });

  it('fails if the read models lag', async () => {
    const freshness = createReadYourWrites(readModelsAt({ templates: 4 }), 1);
    freshness.recordWrite('a', 5, 'templates');
    await expect(freshness.waitForWritesEverywhere('a', 'templates')).rejects.toMatchObject({
      fields: { name: 'service_unavailable' },
    });
  });
});

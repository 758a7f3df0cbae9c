import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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
});

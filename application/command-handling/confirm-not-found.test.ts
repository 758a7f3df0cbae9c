import { describe, expect, it } from 'vitest';
import { createConfirmNotFound } from './confirm-not-found.ts';

/** Read models in memory that reach the end of the event log when asked to wait, unless they are stuck. */
const openStores = ({ isStuck = false } = {}) => {
  const documents = new Map<string, string>();
  const checks = { heads: 0, builtTo: 0 };
  let catchUp: () => void = () => undefined;
  const read = createConfirmNotFound(
    {
      store: { head: async () => (checks.heads += 1) },
      reads: {
        servingGenerations: async () => [{ generation: '', position: checks.builtTo }],
        waitForCheckpoint: async () => {
          catchUp();
          return !isStuck;
        },
      },
    },
    'apiKeys',
  )(async (id) => documents.get(id) ?? null);
  return { documents, checks, read, onCatchUp: (listener: () => void) => (catchUp = listener) };
};

const unavailable = { fields: { name: 'service_unavailable', extra: { retry_after: 1 } } };

describe('A read that finds nothing', () => {
  it('is repeated when the read models contain all events', async () => {
    const { documents, read, onCatchUp } = openStores();
    onCatchUp(() => documents.set('a', 'found'));
    expect(await read('a')).toBe('found');
    expect(await read('b')).toBe(null);
  });

  it('is rejected while the read models are behind', async () => {
    await expect(openStores({ isStuck: true }).read('a')).rejects.toMatchObject(unavailable);
  });

  it('shares its check with other reads', async () => {
    const { checks, read } = openStores();
    await Promise.all(Array.from({ length: 50 }, (_, n) => read(`${n}`)));
    expect(checks.heads).toBeLessThan(5);
  });
});

describe('A read that finds something', () => {
  it('does not wait', async () => {
    const { documents, checks, read } = openStores({ isStuck: true });
    documents.set('a', 'found');
    expect([await read('a'), checks.heads]).toEqual(['found', 0]);
  });

  it('waits if the storage of the read models was emptied', async () => {
    const { documents, checks, read, onCatchUp } = openStores();
    documents.set('a', 'revoked');
    checks.builtTo = 9;
    expect(await read('a')).toBe('revoked');
    documents.set('a', 'not revoked yet');
    checks.builtTo = 3;
    onCatchUp(() => documents.set('a', 'revoked'));
    expect(await read('a')).toBe('revoked');
  });

  it('is rejected while emptied read models are behind', async () => {
    const { documents, checks, read } = openStores({ isStuck: true });
    documents.set('a', 'found');
    checks.builtTo = 9;
    await read('a');
    checks.builtTo = 3;
    await expect(read('a')).rejects.toMatchObject(unavailable);
    checks.builtTo = 9;
    expect(await read('a')).toBe('found');
  });
});

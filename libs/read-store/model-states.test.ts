import { describe, expect, it } from 'vitest';
import { openModelStates, modelStateOf } from './model-states.ts';
import type { DocumentStore } from './port.ts';

/** Stored states whose readings are answered when the test says so, with what was stored when they began. */
const openSlowStore = () => {
  let position = 0;
  const readings: (() => void)[] = [];
  const documents = {
    read: () => {
      const document = { models: { usage: { generation: '', position } }, lastEvent: null };
      return new Promise((resolve) => readings.push(() => resolve({ document, position: 1 })));
    },
  } as unknown as DocumentStore;
  const answer = async (): Promise<void> => {
    await new Promise(setImmediate);
    readings.splice(0).forEach((resolve) => resolve());
  };
  return { states: openModelStates(documents), answer, readings, write: (to: number) => (position = to) };
};

describe('The states of the read models', () => {
  it('are never older than the question, and are read once for all who ask at the same time', async () => {
    const { states, answer, readings, write } = openSlowStore();
    const early = states.fresh();
    write(7);
    const late = [states.fresh(), states.fresh(), states.fresh()];
    expect(readings).toHaveLength(1);
    await answer();
    await answer();
    const positions = await Promise.all([early, ...late].map(async (one) => modelStateOf(await one, 'usage').position));
    expect(positions).toEqual([0, 7, 7, 7]);
  });

  it('are not forgotten for older ones whose writing was confirmed late', async () => {
    const confirmed = Promise.withResolvers<void>();
    let stored = { document: {}, position: 0 };
    const read = async () => stored;
    const replace: DocumentStore['replace'] = async ({ document, position }) => {
      stored = { document: document!, position };
      await confirmed.promise;
      return true;
    };
    const states = openModelStates({ read, replace } as unknown as DocumentStore);
    const of = (generation: string) => ({ models: { usage: { generation, position: 1 } }, lastEvent: null });
    const writing = states.update(() => of('first'));
    await expect.poll(() => stored.position).toBe(1);
    stored = { document: of('second'), position: 2 };
    expect(await states.fresh()).toEqual(of('second'));
    confirmed.resolve();
    await writing;
    expect(await states.known()).toEqual(of('second'));
  });

  it('can be read again after a reading that failed', async () => {
    let fails = true;
    const read = async () => {
      if (fails) throw new Error('connection lost');
      return { document: null, position: 0 };
    };
    const states = openModelStates({ read } as unknown as DocumentStore);
    const [one, next] = [states.fresh(), states.fresh()];
    await expect(one).rejects.toThrow('connection lost');
    await expect(next).rejects.toThrow('connection lost');
    fails = false;
    expect((await states.fresh()).models).toEqual({});
  });
});

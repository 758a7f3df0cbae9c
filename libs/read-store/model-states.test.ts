import { describe, expect, it } from 'vitest';
import { openModelStates, modelStateOf, type ModelStates } from './model-states.ts';
import type { DocumentStore } from './port.ts';

/** Stored states. Reads resolve when the test calls `answerReads`, with what was stored when they started. */
const openSlowStore = () => {
  let position = 0;
  const reads: (() => void)[] = [];
  const documents = {
    read: () => {
      const document = { models: { usage: { generation: '', position } }, lastEvent: null };
      return new Promise((resolve) => reads.push(() => resolve({ document, position: 1 })));
    },
  } as unknown as DocumentStore;
  const answerReads = async (): Promise<void> => {
    await new Promise(setImmediate);
    reads.splice(0).forEach((resolve) => resolve());
  };
  return { states: openModelStates(documents), answerReads, reads, write: (to: number) => (position = to) };
};

describe('The states of the read models', () => {
  it('are never older than the call, and parallel calls share one read', async () => {
    const { states, answerReads, reads, write } = openSlowStore();
    const early = states.readLatest();
    write(7);
    const late = [states.readLatest(), states.readLatest(), states.readLatest()];
    expect(reads).toHaveLength(1);
    await answerReads();
    await answerReads();
    const positions = await Promise.all([early, ...late].map(async (one) => modelStateOf(await one, 'usage').position));
    expect(positions).toEqual([0, 7, 7, 7]);
  });

  it('are not replaced by older ones whose write was confirmed late', async () => {
    const confirmed = Promise.withResolvers<void>();
    let stored = { document: {}, position: 0 };
    const read = async () => stored;
    const replace: DocumentStore['replace'] = async ({ document, position }) => {
      stored = { document: document!, position };
      await confirmed.promise;
      return true;
    };
    const states = openModelStates({ read, replace } as unknown as DocumentStore);
    const statesWith = (generation: string) => ({ models: { usage: { generation, position: 1 } }, lastEvent: null });
    const update = states.update(() => statesWith('first'));
    await expect.poll(() => stored.position).toBeGreaterThan(0);
    stored = { document: statesWith('second'), position: stored.position + 1 };
    expect(await states.readLatest()).toEqual(statesWith('second'));
    confirmed.resolve();
    await update;
    expect(await states.readRecent()).toEqual(statesWith('second'));
  });

  it('of an emptied storage are not replaced by a process that knows only those before', async () => {
    const empty = { document: null as object | null, position: 0 };
    let stored = empty;
    const documents = {
      read: async () => stored,
      replace: async ({ document, position }, from) => {
        if (stored.position !== from) return false;
        stored = { document, position };
        return true;
      },
    } as Partial<DocumentStore> as DocumentStore;
    const changeTo = (generation: string) => (states: ModelStates) =>
      modelStateOf(states, 'usage').generation === 'last'
        ? states
        : { models: { usage: { generation, position: 1 } }, lastEvent: null };
    const stalled = openModelStates(documents);
    await stalled.update(changeTo('first'));
    stored = empty;
    await openModelStates(documents).update(changeTo('last'));
    await stalled.update(changeTo('second'));
    expect(stored.document).toMatchObject({ models: { usage: { generation: 'last' } } });
  });

  it('can be read again after a failed read', async () => {
    let fails = true;
    const read = async () => {
      if (fails) throw new Error('connection lost');
      return { document: null, position: 0 };
    };
    const states = openModelStates({ read } as unknown as DocumentStore);
    const [first, second] = [states.readLatest(), states.readLatest()];
    await expect(first).rejects.toThrow('connection lost');
    await expect(second).rejects.toThrow('connection lost');
    fails = false;
    expect((await states.readLatest()).models).toEqual({});
  });
});

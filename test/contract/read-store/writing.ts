import { expect } from 'vitest';
import type { ReadStore } from '#libs/read-store/port.ts';
import type { ReadStoreUnderTest } from '../../support/contract/read-store-under-test.ts';
import { type ContractCases, requireAbility } from '../../support/contract/describe-contract.ts';
import {
  findIds,
  neverRebuilt,
  people,
  places,
  writeDocuments,
  writeDocumentsAt,
  documentWrite,
  storedDocumentsAt,
} from '../../support/contract/read-store-documents.ts';

const waitTimeoutMs = 20_000;
const key = (id: string, collection = people) => ({ collection, generation: '', id });
const event = (position: number) => ({ stream: 'render-1', revision: 0, id: `event ${position}`, position });
const positions = (reads: ReadStore): Promise<number[]> =>
  Promise.all(['people', 'places'].map((model) => reads.checkpoint(model)));

/** Replaces the states of the models by those of an emptied storage, or of a restored one. */
const replaceStates = async (reads: ReadStore, models = {}): Promise<void> => {
  const states = key('read models', 'checkpoints');
  const { position } = await reads.read(states);
  await reads.replace({ ...states, document: { models, lastEvent: null }, position: 0 }, position);
};

export const writingCases: ContractCases<ReadStoreUnderTest> = {
  'a new store is empty, and its models are at position 0': async ({ engine }) => {
    expect(await engine.checkpoint('people')).toBe(0);
    expect(await engine.get(people, 'a')).toBe(null);
    expect(await engine.read(key('a'))).toEqual({ document: null, position: 0 });
    expect(await engine.find(people, { where: {}, limit: 10 })).toEqual([]);
    expect(await engine.count(people, {})).toBe(0);
  },

  'documents are written, replaced and removed, each with its position': async ({ engine }) => {
    await engine.write([
      { ...key('a'), document: { name: 'Ada', age: 36 }, position: 4 },
      { ...key('b'), document: { name: 'Bo' }, position: 5 },
    ]);
    await engine.write([
      { ...key('a'), document: { name: 'Ada L.' }, position: 9 },
      { ...key('b'), document: null, position: 8 },
      { ...key('never there'), document: null, position: 9 },
    ]);
    expect(await engine.get(people, 'a')).toEqual({ name: 'Ada L.' });
    expect(await engine.get(people, 'b')).toBe(null);
    expect(await Promise.all(['a', 'b'].map((id) => engine.read(key(id))))).toEqual([
      { document: { name: 'Ada L.' }, position: 9 },
      { document: null, position: 8 },
    ]);
    expect(await engine.checkpoint('people')).toBe(0);
  },

  'in a batch only documents with a newer position are written': async ({ engine }) => {
    await writeDocumentsAt(engine, 4, documentWrite('older', { id: 'older', n: 4 }), documentWrite('removed', null));
    await writeDocumentsAt(engine, 7, documentWrite('same', { id: 'same', n: 7 }));
    await writeDocumentsAt(
      engine,
      9,
      documentWrite('newer', { id: 'newer', n: 9 }),
      documentWrite('removed later', null),
    );
    const all = ['new', 'newer', 'older', 'same', 'removed', 'removed later', 'last'].map((id) =>
      documentWrite(id, { id, n: 'late' }),
    );
    await engine.write(await storedDocumentsAt(engine, 7, ...all));
    const found = await engine.find(people, { where: {}, limit: 10 });
    expect(Object.fromEntries(found.map(({ id, n }) => [id, n]))).toEqual({
      new: 'late',
      newer: 9,
      older: 'late',
      same: 7,
      removed: 'late',
      last: 'late',
    });
    expect(await engine.count(people, { team: null })).toBe(6);
  },

  'of parallel writes of a document the newest one remains': async ({ engine, another }, skip) => {
    const other = await requireAbility(another, 'second instance', skip)();
    for (let round = 0; round < 10; round += 1) {
      const id = `${round}`;
      await Promise.all(
        [3, 1, 5, 2, 4].map((position) =>
          (position % 2 ? engine : other).write([
            { ...key(id), document: { position }, position },
            { ...key(`${id} too`), document: { position }, position },
          ]),
        ),
      );
      expect([await engine.get(people, id), await other.get(people, `${id} too`)]).toEqual([
        { position: 5 },
        { position: 5 },
      ]);
    }
  },

  'a document is only replaced if the expected position matches': async ({ engine }) => {
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, number) => engine.replace({ ...key('a'), document: { number }, position: 1 }, 0)),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await engine.read(key('a'))).toEqual({ document: { number: results.indexOf(true) }, position: 1 });
    expect(await engine.replace({ ...key('a'), document: {}, position: 9 }, 2)).toBe(false);
    expect(await engine.replace({ ...key('a'), document: { back: true }, position: 0 }, 1)).toBe(true);
    expect(await engine.read(key('a'))).toEqual({ document: { back: true }, position: 0 });
  },

  'checkpoints move together and never back': async ({ engine }) => {
    expect(await engine.moveCheckpoints({ people: neverRebuilt, places: neverRebuilt }, 5)).toBe(true);
    expect(await engine.moveCheckpoints({ people: neverRebuilt }, 9)).toBe(true);
    expect(await engine.moveCheckpoints({ people: neverRebuilt, places: neverRebuilt }, 7)).toBe(true);
    expect(await positions(engine)).toEqual([9, 7]);
  },

  'a checkpoint does not move if another generation was written; the others do': async ({ engine }) => {
    expect(
      await engine.moveCheckpoints({ people: { generation: 'another', position: 0 }, places: neverRebuilt }, 5),
    ).toBe(false);
    expect(await positions(engine)).toEqual([0, 5]);
  },

  'checkpoints of a storage that was emptied do not move beyond the missing documents': async ({ engine }) => {
    for (const position of [3, 4, 5]) await engine.moveCheckpoints({ people: neverRebuilt }, position);
    await replaceStates(engine);
    expect(await engine.moveCheckpoints({ people: { generation: '', position: 5 } }, 9)).toBe(false);
    expect(await engine.checkpoint('people')).toBe(0);
    const [serving] = await engine.servingGenerations(['people']);
    expect(await engine.moveCheckpoints({ people: serving! }, 9)).toBe(true);
  },

  'documents that are written into a storage while it is emptied are not served': async ({ engine, another }, skip) => {
    const other = await requireAbility(another, 'second instance', skip)();
    await engine.moveCheckpoints({ people: neverRebuilt, places: neverRebuilt }, 5);
    await replaceStates(engine);
    await engine.write([{ ...key('a'), document: { id: 'a', n: 'without earlier events' }, position: 9 }]);
    const late = { generation: '', position: 5 };
    const moved = [engine, other].map((one) => one.moveCheckpoints({ people: late, places: late }, 9));
    expect(await Promise.all(moved)).toEqual([false, false]);
    const [serving] = await engine.servingGenerations(['people']);
    expect([await engine.find(people, { where: {}, limit: 10 }), serving!.position]).toEqual([[], 0]);
    await engine.write([{ ...key('a'), generation: serving!.generation, document: { id: 'a', n: 1 }, position: 1 }]);
    expect(await engine.moveCheckpoints({ people: serving! }, 9)).toBe(true);
    expect(await other.moveCheckpoints({ people: late }, 12)).toBe(false);
    expect(await engine.servingGenerations(['people'])).toEqual([{ ...serving, position: 9 }]);
    expect(await findIds(engine, {})).toEqual(['a']);
  },

  'documents that are written into a storage while it is restored are not served': async ({ engine }) => {
    for (const position of [4, 5]) await engine.moveCheckpoints({ people: neverRebuilt }, position);
    await replaceStates(engine, { people: { generation: '', position: 3 } });
    await engine.write([{ ...key('a'), document: { id: 'a', n: 'without the events 4 and 5' }, position: 9 }]);
    expect(await engine.moveCheckpoints({ people: { generation: '', position: 5 } }, 9)).toBe(false);
    const [serving] = await engine.servingGenerations(['people']);
    expect([serving!.position, await findIds(engine, {})]).toEqual([0, []]);
    expect(await engine.moveCheckpoints({ people: serving! }, 9)).toBe(true);
  },

  'a storage that was emptied and rebuilt by another instance is used at once': async ({ engine, another }, skip) => {
    const other = await requireAbility(another, 'second instance', skip)();
    for (const position of [3, 4, 5, 6, 7]) await engine.moveCheckpoints({ people: neverRebuilt }, position);
    await replaceStates(other);
    const generation = await other.beginRebuild('people');
    await other.switchOver('people', { generation, position: 7 });
    expect(await engine.moveCheckpoints({ people: { generation: '', position: 7 } }, 8)).toBe(false);
    const [serving] = await engine.servingGenerations(['people']);
    expect(serving).toEqual({ generation, position: 7 });
    expect(await engine.moveCheckpoints({ people: serving! }, 8)).toBe(true);
  },

  'parallel checkpoint moves of two instances are all kept': async ({ engine, another }, skip) => {
    const other = await requireAbility(another, 'second instance', skip)();
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => [
        engine.moveCheckpoints({ people: neverRebuilt }, index + 1),
        other.moveCheckpoints({ places: neverRebuilt }, index + 1),
      ]).flat(),
    );
    expect(await positions(engine)).toEqual([10, 10]);
  },

  'the last event of a checkpoint is kept until it is cleared': async ({ engine, reopen }) => {
    expect(await engine.lastEvent()).toBe(null);
    for (const position of [5, 9]) await engine.moveCheckpoints({ people: neverRebuilt }, position, event(position));
    await engine.moveCheckpoints({ places: neverRebuilt }, 7, event(7));
    const again = (await reopen?.()) ?? engine;
    expect(await again.lastEvent()).toEqual(event(9));
    await again.clearLastEvent();
    expect([await again.lastEvent(), await again.checkpoint('people')]).toEqual([null, 9]);
  },

  'a document is read as it was written': async ({ engine }) => {
    const document = {
      text: '\u00e9 e\u0301 \u0000 \n "\' 👩🏽‍🚀',
      list: [1, [2, { three: 3 }]],
      'key with "quotes", spaces and ünïcode': { deep: null },
      yes: true,
      big: 9007199254740991,
      small: -1.5e-7,
    };
    await writeDocuments(engine, documentWrite('a', document));
    expect(await engine.get(people, 'a')).toEqual(document);
    expect(await engine.find(people, { where: {}, limit: 10 })).toEqual([document]);
  },

  'an id can have any characters': async ({ engine }) => {
    const ids = [
      '',
      'a',
      'A',
      'a\'; DROP TABLE "people"; --',
      '"',
      '%',
      '_',
      '$where',
      '\u00e9',
      'e\u0301',
      '👩🏽‍🚀',
      'x'.repeat(500),
      '2026-01-02T00:00:00Z',
    ];
    await writeDocuments(engine, ...ids.map((id) => documentWrite(id, { id })));
    for (const id of ids) expect(await engine.get(people, id)).toEqual({ id });
    expect(await engine.count(people, {})).toBe(ids.length);
  },

  'a wait for a reached checkpoint returns true at once': async ({ engine }) => {
    await writeDocumentsAt(engine, 5);
    expect(await engine.waitForCheckpoint('people', 5, 0)).toBe(true);
    expect(await engine.waitForCheckpoint('never built', 0, 0)).toBe(true);
  },

  'a wait for a checkpoint ends with the write that reaches it': async ({ engine }) => {
    const waits = Promise.all([
      engine.waitForCheckpoint('people', 6, waitTimeoutMs),
      engine.waitForCheckpoint('people', 8, waitTimeoutMs),
      engine.waitForCheckpoint('people', 7, waitTimeoutMs),
    ]);
    for (const position of [6, 8]) await writeDocumentsAt(engine, position);
    expect(await waits).toEqual([true, true, true]);
  },

  'a wait for a checkpoint returns false after the timeout': async ({ engine }) => {
    await writeDocumentsAt(engine, 5);
    expect(await engine.waitForCheckpoint('people', 6, 30)).toBe(false);
    expect(await engine.waitForCheckpoint('people', 6, 0)).toBe(false);
  },

  'close ends the waiting': async ({ engine }) => {
    const waiting = engine.waitForCheckpoint('people', 6, waitTimeoutMs);
    await engine.close();
    await engine.close();
    expect(await waiting).toBe(false);
  },

  'two instances see the writes of each other': async ({ engine, another }, skip) => {
    const other = await requireAbility(another, 'second instance', skip)();
    const waiting = other.waitForCheckpoint('people', 4, waitTimeoutMs);
    await writeDocumentsAt(
      engine,
      4,
      documentWrite('a', { id: 'a', by: 'one' }),
      documentWrite('p', { id: 'p' }, places),
    );
    expect(await waiting).toBe(true);
    expect([await other.get(people, 'a'), await other.get(places, 'p')]).toEqual([{ id: 'a', by: 'one' }, { id: 'p' }]);
    await writeDocumentsAt(other, 5, documentWrite('b', { id: 'b', by: 'other' }));
    expect(await findIds(engine, {})).toEqual(['a', 'b']);
  },

  'all documents and checkpoints remain after reopening': async ({ engine, reopen }, skip) => {
    const open = requireAbility(reopen, 'lasting storage', skip);
    await writeDocuments(engine, documentWrite('a', { id: 'a' }));
    const again = await open();
    expect(await again.get(people, 'a')).toEqual({ id: 'a' });
    expect(await again.checkpoint('people')).toBe(1);
  },
};

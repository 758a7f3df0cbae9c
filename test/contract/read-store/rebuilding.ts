import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Document, type ReadStore, RebuildSuperseded, type StoredDocument } from '#libs/read-store/port.ts';
import { type ContractCases, requireAbility } from '../../support/contract/describe-contract.ts';
import type { ReadStoreUnderTest } from '../../support/contract/read-store-under-test.ts';
import {
  findIds,
  neverRebuilt,
  people,
  places,
  writeDocumentsAt,
  documentWrite,
} from '../../support/contract/read-store-documents.ts';

const waitTimeoutMs = 20_000;
const document = (id: string, n: number): Document => ({ id, n, team: 'red' });
const inShadow = (generation: string, position: number, id: string, n: number): StoredDocument => ({
  collection: people,
  generation,
  id,
  position,
  document: document(id, n),
});

/** A model at position 5 with the documents `a` and `b`, another model with `p`, and a shadow copy of the first. */
const startRebuild = async (engine: ReadStore): Promise<string> => {
  await writeDocumentsAt(
    engine,
    5,
    documentWrite('a', document('a', 1)),
    documentWrite('b', document('b', 1)),
    documentWrite('p', { id: 'p' }, places),
  );
  return engine.beginRebuild('people');
};

export const rebuildingCases: ContractCases<ReadStoreUnderTest> = {
  'while a shadow copy is built, the serving generation is used and updated': async ({ engine }) => {
    const shadow = await startRebuild(engine);
    await engine.write([inShadow(shadow, 3, 'a', 2), inShadow(shadow, 3, 'c', 2)]);
    expect(await engine.servingGenerations(['people'])).toEqual([{ generation: '', position: 5 }]);
    expect(await findIds(engine, { team: 'red' })).toEqual(['a', 'b']);
    expect(await engine.get(people, 'a')).toEqual(document('a', 1));
    await writeDocumentsAt(engine, 6, documentWrite('b', null));
    expect(await engine.count(people, {})).toBe(1);
    expect((await engine.read({ collection: people, generation: shadow, id: 'a' })).document).toEqual(document('a', 2));
  },

  'a shadow copy serves after the switch over, with its documents only': async ({ engine }) => {
    const shadow = await startRebuild(engine);
    await engine.write([inShadow(shadow, 4, 'a', 2), inShadow(shadow, 5, 'c', 2)]);
    expect(await engine.switchOver('people', { generation: shadow, position: 5 })).toBe(true);
    expect(await findIds(engine, { team: 'red' })).toEqual(['a', 'c']);
    expect([await engine.get(people, 'a'), await engine.get(people, 'b'), await engine.get(places, 'p')]).toEqual([
      document('a', 2),
      null,
      { id: 'p' },
    ]);
    expect(await engine.servingGenerations(['people', 'places'])).toEqual([
      { generation: shadow, position: 5 },
      { generation: '', position: 0 },
    ]);
    await writeDocumentsAt(engine, 8, documentWrite('d', document('d', 3)), documentWrite('a', null));
    expect(await findIds(engine, {})).toEqual(['c', 'd']);
  },

  'writes to a replaced generation are not visible and move no checkpoint': async ({ engine }) => {
    const shadow = await startRebuild(engine);
    await engine.write([inShadow(shadow, 5, 'a', 100)]);
    await engine.switchOver('people', { generation: shadow, position: 5 });
    await engine.write([{ ...inShadow('', 7, 'a', 2) }, inShadow('', 7, 'late', 2)]);
    expect(await engine.moveCheckpoints({ people: neverRebuilt }, 7)).toBe(false);
    expect([await engine.get(people, 'a'), await engine.count(people, {}), await engine.checkpoint('people')]).toEqual([
      document('a', 100),
      1,
      5,
    ]);
  },

  'there is no switch over to a shadow copy that is behind, unless it is allowed': async ({ engine }) => {
    const shadow = await startRebuild(engine);
    await engine.write([inShadow(shadow, 4, 'c', 2)]);
    expect(await engine.switchOver('people', { generation: shadow, position: 4 })).toBe(false);
    expect([await findIds(engine, {}), await engine.checkpoint('people')]).toEqual([['a', 'b'], 5]);
    expect(await engine.switchOver('people', { generation: shadow, position: 4 }, 'behind')).toBe(true);
    expect([await findIds(engine, {}), await engine.checkpoint('people')]).toEqual([['c'], 4]);
  },

  'a switch over to a shadow copy that is ahead moves the checkpoint and ends waits for it': async ({ engine }) => {
    const shadow = await startRebuild(engine);
    const waiting = engine.waitForCheckpoint('people', 9, waitTimeoutMs);
    expect(await engine.switchOver('people', { generation: shadow, position: 9 })).toBe(true);
    expect(await waiting).toBe(true);
  },

  'a model can be rebuilt repeatedly, and its indexes work each time': async ({ engine, reopen }) => {
    let current = engine;
    for (let round = 1; round <= 3; round += 1) {
      const shadow = await current.beginRebuild('people');
      await current.write([
        { ...inShadow(shadow, round, 'a', round), document: { id: 'a', team: `round ${round}`, age: round } },
      ]);
      expect(await current.switchOver('people', { generation: shadow, position: round })).toBe(true);
      current = (await reopen?.()) ?? current;
      expect(await findIds(current, { team: `round ${round}` })).toEqual(['a']);
    }
  },

  'an abandoned or interrupted rebuild does not change the serving generation': async ({ engine, reopen }) => {
    const shadow = await startRebuild(engine);
    await engine.write([inShadow(shadow, 5, 'c', 2)]);
    await engine.abandonRebuild('people', shadow);
    expect((await engine.read({ collection: people, generation: shadow, id: 'c' })).document).toBe(null);
    await expect(engine.switchOver('people', { generation: shadow, position: 9 })).rejects.toThrow(RebuildSuperseded);
    await engine.write([inShadow(await engine.beginRebuild('people'), 5, 'd', 2)]);
    const again = (await reopen?.()) ?? engine;
    expect([await findIds(again, {}), await again.checkpoint('people')]).toEqual([['a', 'b'], 5]);
  },

  'a rebuild cannot be abandoned after the switch over': async ({ engine }) => {
    const shadow = await startRebuild(engine);
    await engine.write([inShadow(shadow, 5, 'c', 2)]);
    await engine.switchOver('people', { generation: shadow, position: 5 });
    await engine.abandonRebuild('people', shadow);
    expect(await findIds(engine, {})).toEqual(['c']);
  },

  'of two rebuilds of a model the later one continues': async ({ engine, another }, skip) => {
    const other = await requireAbility(another, 'second instance', skip)();
    const first = await startRebuild(engine);
    const second = await other.beginRebuild('people');
    await expect(engine.switchOver('people', { generation: first, position: 5 })).rejects.toThrow(RebuildSuperseded);
    await expect(engine.requireShadow('people', first)).rejects.toThrow(RebuildSuperseded);
    await engine.abandonRebuild('people', first);
    await other.requireShadow('people', second);
    await other.write([inShadow(second, 5, 'second', 1)]);
    expect(await other.switchOver('people', { generation: second, position: 5 })).toBe(true);
    expect(await engine.waitForCheckpoint('people', 5, waitTimeoutMs)).toBe(true);
    expect(await findIds(engine, {})).toEqual(['second']);
  },

  'a reading process sees the shadow copy after waiting for its position, and no mixed state before': async (
    { engine, another },
    skip,
  ) => {
    const other = await requireAbility(another, 'second instance', skip)();
    const shadow = await startRebuild(engine);
    await engine.write([inShadow(shadow, 5, 'a', 2), inShadow(shadow, 5, 'c', 2)]);
    const seen = new Set<string>();
    let over = false;
    const reading = (async () => {
      // Without the await, the reads would block the other operations.
      for (; !over; await setImmediate()) seen.add((await findIds(other, {})).join());
    })();
    await engine.switchOver('people', { generation: shadow, position: 5 });
    const removing = engine.dropUnusedGenerations();
    expect(await other.waitForCheckpoint('people', 5, waitTimeoutMs)).toBe(true);
    expect(await findIds(other, {})).toEqual(['a', 'c']);
    await removing;
    over = true;
    await reading;
    expect([...seen].filter((ids) => ids !== 'a,b' && ids !== 'a,c')).toEqual([]);
  },

  'a replaced generation is not removed while a process may read it': async ({ engine, another }, skip) => {
    const other = await requireAbility(another, 'second instance', skip)();
    const shadow = await startRebuild(engine);
    await engine.write([inShadow(shadow, 5, 'c', 2)]);
    expect(await findIds(other, {})).toEqual(['a', 'b']);
    await engine.switchOver('people', { generation: shadow, position: 5 });
    let isRemoved = false;
    const removing = engine.dropUnusedGenerations().then(() => (isRemoved = true));
    const seen = new Set<string>();
    for (; !isRemoved; await setImmediate()) seen.add((await findIds(other, {})).join());
    await removing;
    expect([...seen]).toEqual(['a,b', 'c']);
  },

  'only generations that neither serve nor are being built are removed': async ({ engine }) => {
    const superseded = await startRebuild(engine);
    const replaced = await engine.beginRebuild('people');
    await engine.write([inShadow(superseded, 5, 'left over', 1), inShadow(replaced, 5, 'c', 1)]);
    await engine.switchOver('people', { generation: replaced, position: 5 });
    const serving = await engine.beginRebuild('people');
    await engine.write([inShadow(serving, 5, 'd', 1)]);
    await engine.switchOver('people', { generation: serving, position: 5 });
    const shadow = await engine.beginRebuild('people');
    await engine.write([inShadow(shadow, 5, 'e', 1)]);
    await engine.dropUnusedGenerations();
    const ids = ['a', 'b', 'left over', 'c', 'd', 'e'];
    const left = await Promise.all(
      ['', superseded, replaced, serving, shadow].map((generation) =>
        Promise.all(ids.map((id) => engine.read({ collection: people, generation, id }))),
      ),
    );
    expect(left.map((found) => found.flatMap(({ document: one }) => one?.id ?? []))).toEqual([
      [],
      [],
      [],
      ['d'],
      ['e'],
    ]);
    expect(await engine.get(places, 'p')).toEqual({ id: 'p' });
  },
};

import fc from 'fast-check';
import { expect } from 'vitest';
import { emptyReadModel } from '#libs/projections/testing/empty-read-model.ts';
import type { Document, Query } from '#libs/read-store/port.ts';
import type { ReadStoreUnderTest } from '../../support/contract/read-store-under-test.ts';
import type { ContractCases } from '../../support/contract/describe-contract.ts';
import {
  findIds,
  people,
  writeDocuments,
  documentWrite,
  unusualFieldNames,
} from '../../support/contract/read-store-documents.ts';

const byAge = (descending: boolean): Query['sort'] => ({ by: 'age', descending });
const person = fc.record({
  team: fc.constantFrom('red', 'blue', null),
  age: fc.option(fc.integer({ min: -3, max: 3 }), { nil: null }),
});

/** The expected page: filtered, then sorted by age (null first) and id, both in the given direction. */
const pageOf = (
  documents: readonly Document[],
  team: string | null,
  descending: boolean,
  skip: number,
  limit: number,
): Document[] => {
  const ageOf = ({ age }: Document): number => (age as number | null) ?? -Infinity;
  const inOrder = documents
    .filter((document) => document.team === team)
    .toSorted((a, b) =>
      ageOf(a) === ageOf(b) ? ((a.id as string) < (b.id as string) ? -1 : 1) : ageOf(a) < ageOf(b) ? -1 : 1,
    );
  return (descending ? inOrder.toReversed() : inOrder).slice(skip, skip + limit);
};

export const queryingCases: ContractCases<ReadStoreUnderTest> = {
  'several documents are read by their ids; those that are removed, unknown or of another generation are left out':
    async ({ engine }) => {
      const idsOf = async (...ids: string[]) =>
        (await engine.getMany(people, ids)).map(({ id }) => id as string).toSorted();
      const person = (id: string) => documentWrite(id, { id, team: 'red' });
      await writeDocuments(engine, person('a'), person('b'), person("c'[0]"), person('d'));
      await writeDocuments(engine, documentWrite('d', null));
      expect(await idsOf('a', "c'[0]", 'd', 'nobody', 'a')).toEqual(['a', "c'[0]"]);
      expect(await idsOf()).toEqual([]);
      await emptyReadModel(engine, 'people');
      expect(await idsOf('a', 'b')).toEqual([]);
    },

  'ids are found in an index as their documents are found, in the same order': async ({ engine }) => {
    const members = Array.from({ length: 9 }, (_, age) =>
      documentWrite(`p${age}`, { id: `p${age}`, team: 'red', age }),
    );
    await writeDocuments(engine, ...members, documentWrite('other', { id: 'other', team: 'blue', age: 5 }));
    await writeDocuments(engine, documentWrite('p4', null));
    for (const descending of [true, false]) {
      const query: Query = { where: { team: 'red' }, sort: byAge(descending)!, limit: 3, skip: 2 };
      const documents = await engine.find(people, query);
      expect(await engine.findIds(people, { ...query, index: ['team', 'age'] })).toEqual(documents.map(({ id }) => id));
    }
    const byAddress = { where: { 'no such field': 'x' }, limit: 1, index: ['team', 'age'] };
    await expect(engine.findIds(people, byAddress)).rejects.toThrow(RangeError);
  },

  'documents are found by text, number and boolean, each only by a value of its own type': async ({ engine }) => {
    const values = {
      text: 'x',
      one: 1,
      textOne: '1',
      zero: 0,
      yes: true,
      no: false,
      textTrue: 'true',
      half: 0.5,
      large: 9007199254740991,
      empty: '',
      object: { a: 1 },
      textObject: '{"a":1}',
    };
    await writeDocuments(
      engine,
      ...Object.entries(values).map(([id, value]) => documentWrite(id, { id, name: value })),
    );
    const kinds = Object.entries(values).flatMap(([id, value]) =>
      typeof value === 'object' ? [] : [[id, value] as const],
    );
    for (const [id, value] of kinds) {
      expect(await findIds(engine, { name: value }), `value ${id}`).toEqual([id]);
      expect(await engine.count(people, { name: value }), `value ${id}`).toBe(1);
    }
  },

  'null finds null and absent fields': async ({ engine }) => {
    await writeDocuments(
      engine,
      documentWrite('a', { id: 'a', name: null }),
      documentWrite('b', { id: 'b' }),
      documentWrite('c', { id: 'c', name: '' }),
      documentWrite('d', { id: 'd', name: 'null' }),
      documentWrite('e', { id: 'e', name: 0 }),
    );
    expect(await findIds(engine, { name: null })).toEqual(['a', 'b']);
    expect(await engine.count(people, { name: null })).toBe(2);
  },

  'a dotted path finds a nested field': async ({ engine }) => {
    await writeDocuments(
      engine,
      documentWrite('a', { id: 'a', address: { city: 'Rome' } }),
      documentWrite('b', { id: 'b', address: { city: 'Oslo' } }),
      documentWrite('c', { id: 'c', address: null }),
      documentWrite('d', { id: 'd', address: 'Rome' }),
    );
    expect(await findIds(engine, { 'address.city': 'Rome' })).toEqual(['a']);
    expect(await findIds(engine, { 'address.city': null })).toEqual(['c', 'd']);
  },

  'several conditions must all hold': async ({ engine }) => {
    await writeDocuments(
      engine,
      documentWrite('a', { id: 'a', team: 'red', age: 3 }),
      documentWrite('b', { id: 'b', team: 'red', age: 4 }),
      documentWrite('c', { id: 'c', team: 'blue', age: 3 }),
    );
    expect(await findIds(engine, { team: 'red', age: 3 })).toEqual(['a']);
    expect(await findIds(engine, { team: 'blue', age: 4 })).toEqual([]);
    expect(await engine.count(people, { team: 'red' })).toBe(2);
  },

  'a range includes its start but not its end, and matches only text': async ({ engine }) => {
    await writeDocuments(
      engine,
      ...['a', 'b', 'bb', 'c', 'é'].map((name) => documentWrite(name, { id: name, name, team: 'red' })),
      documentWrite('n', { id: 'n', name: 7 }),
      documentWrite('o', { id: 'o' }),
    );
    const ids = async (range: NonNullable<Query['range']>, where: Query['where'] = {}): Promise<unknown[]> =>
      (await engine.find(people, { where, range, limit: 10 })).map(({ id }) => id);
    expect(await ids({ by: 'name', from: 'b', before: 'c' })).toEqual(['b', 'bb']);
    expect(await ids({ by: 'name', from: 'b' }, { team: 'red' })).toEqual(['b', 'bb', 'c', 'é']);
    expect(await ids({ by: 'name', before: 'b' })).toEqual(['a']);
    expect(await ids({ by: 'name' })).toHaveLength(7);
    expect(await ids({ by: 'name', from: 'c', before: 'a' })).toEqual([]);
  },

  'values can have any characters': async ({ engine }) => {
    const values = [
      '',
      "O'Hara",
      '"; DROP TABLE people; --',
      '%',
      '$ne',
      '\u00e9',
      'e\u0301',
      '👩🏽‍🚀',
      'a\u0000b',
      'a',
      '\\',
      '\n',
    ];
    await writeDocuments(
      engine,
      ...values.map((name, number) => documentWrite(String(number).padStart(2, '0'), { id: String(number), name })),
    );
    for (const [number, name] of values.entries())
      expect(await findIds(engine, { name }), `value ${JSON.stringify(name)}`).toEqual([String(number)]);
  },

  'field names can have spaces, dashes, apostrophes and other scripts': async ({ engine }) => {
    for (const field of unusualFieldNames) {
      await writeDocuments(
        engine,
        documentWrite('a', { id: 'a', [field]: 1 }),
        documentWrite('b', { id: 'b', [field]: 2 }),
      );
      expect(await findIds(engine, { [field]: 2 }), `field ${field}`).toEqual(['b']);
    }
  },

  'a query by a field without an index is rejected': async ({ engine }) => {
    await writeDocuments(engine, documentWrite('a', { id: 'a', shoe: 42 }));
    const queries: Omit<Query, 'limit'>[] = [
      { where: { shoe: 42 } },
      { where: {}, sort: { by: 'shoe', descending: false } },
      { where: {}, range: { by: 'shoe', from: 'a' } },
    ];
    for (const query of queries)
      await expect(engine.find(people, { ...query, limit: 10 })).rejects.toThrow(
        'query of people by shoe, which is not in its indexes',
      );
    await expect(engine.count(people, { shoe: 42 })).rejects.toThrow(RangeError);
  },

  'without a sort documents are ordered by id': async ({ engine }) => {
    await writeDocuments(engine, ...['b', 'a', 'C', '10', '9', 'é', 'z'].map((id) => documentWrite(id, { id })));
    expect(await findIds(engine, {})).toEqual(['10', '9', 'C', 'a', 'b', 'z', 'é']);
  },

  'null and absent sort first, equal values sort by id, and descending is the exact reverse': async ({ engine }) => {
    const documents = [
      { id: 'a', age: 5 },
      { id: 'b', age: null },
      { id: 'c' },
      { id: 'd', age: -1.5 },
      { id: 'e', age: 5 },
      { id: 'f', age: 10 },
    ];
    await writeDocuments(engine, ...documents.map((document) => documentWrite(document.id, document)));
    const idsIn = async (descending: boolean): Promise<unknown[]> =>
      (await engine.find(people, { where: {}, sort: byAge(descending), limit: 10 })).map(({ id }) => id);
    expect(await idsIn(false)).toEqual(['b', 'c', 'd', 'a', 'e', 'f']);
    expect(await idsIn(true)).toEqual(['f', 'e', 'a', 'd', 'c', 'b']);
  },

  'text is sorted by code point': async ({ engine }) => {
    const names = ['Z', 'a', 'é', '\uffee', '😀', 'B', ''];
    await writeDocuments(
      engine,
      ...names.map((name, number) => documentWrite(String(number), { id: String(number), name })),
    );
    const found = await engine.find(people, { where: {}, sort: { by: 'name', descending: false }, limit: 10 });
    expect(found.map(({ name }) => name)).toEqual(['', 'B', 'Z', 'a', 'é', '\uffee', '😀']);
  },

  'pages have no gap and no overlap': async ({ engine }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(person, { maxLength: 30 }),
        fc.constantFrom('red', null),
        fc.boolean(),
        fc.integer({ min: 1, max: 7 }),
        async (made, team, descending, limit) => {
          await emptyReadModel(engine, people);
          const documents: Document[] = made.map((one, number) => ({
            id: `p${String(number).padStart(2, '0')}`,
            ...one,
          }));
          await writeDocuments(engine, ...documents.map((document) => documentWrite(document.id as string, document)));
          for (let skip = 0; skip <= documents.length; skip += limit) {
            expect(await engine.find(people, { where: { team }, sort: byAge(descending), skip, limit })).toEqual(
              pageOf(documents, team, descending, skip, limit),
            );
          }
          expect(await engine.count(people, { team })).toBe(
            documents.filter((document) => document.team === team).length,
          );
        },
      ),
      { numRuns: 30 },
    );
  },

  'a page beyond the end and a page with limit 0 are empty': async ({ engine }) => {
    await writeDocuments(engine, documentWrite('a', { id: 'a' }));
    expect(await engine.find(people, { where: {}, limit: 10, skip: 1 })).toEqual([]);
    expect(await engine.find(people, { where: {}, limit: 0 })).toEqual([]);
  },
};

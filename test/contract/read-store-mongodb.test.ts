import { describe, expect, it, onTestFinished } from 'vitest';
import { rememberingWrites } from '#libs/projections/remembering.ts';
import { openMongoReadStore } from '#libs/read-store/mongodb.ts';
import { ferretDbForFile, openedOn } from '../ferretdb/opened.ts';
import { isFerretDbThere } from '../ferretdb/server.ts';
import { describeReadStoreContract } from './read-store.contract.ts';
import { collections, people, putting } from './read-store/people.ts';

describe.runIf(isFerretDbThere)('with a MongoDB-compatible server', () => {
  const at = ferretDbForFile();
  describeReadStoreContract('MongoDB', (wanted) => openedOn(at.server, (url) => openMongoReadStore(url, wanted)));
  describeReadStoreContract('MongoDB with all collections in one place', (wanted) => openedOn(at.server, (url) => openMongoReadStore(url, wanted.map((one) => ({ ...one, together: true })))));

  describe('A projector that remembers what it wrote', () => {
    const opened = async () => {
      const { engine, another, close } = await openedOn(at.server, (url) => openMongoReadStore(url, collections));
      onTestFinished(close);
      const step = (from: number, n: number) => [from, from + 1, [{ model: 'people', changes: [putting('a', { n })] }]] as const;
      const elsewhere = await another();
      const rebuild = async (): Promise<void> => {
        const { copy, switchOver } = await elsewhere.rebuild('people', [people]);
        await copy.advance(0, 1, [{ model: 'people', changes: [putting('a', { n: 100 })] }]);
        expect(await switchOver()).toBe(true);
      };
      return { engine, remembering: rememberingWrites(engine.writer()), step, rebuild };
    };

    it.each(['has not heard of it', 'has heard of it'])('writes nothing of that over a model that was built anew elsewhere, when its process %s', async (case_) => {
      const { engine, remembering, step, rebuild } = await opened();
      expect(await remembering.advance(...step(0, 1))).toBe(true);
      await rebuild();
      if (case_ === 'has heard of it') expect(await engine.reached('people', 1, 0)).toBe(true);
      expect(await remembering.advance(...step(1, 2))).toBe(false);
      expect((await remembering.held(people, 'a')).document).toEqual({ n: 100 });
      expect(await remembering.checkpoint('people')).toBe(1);
      expect(await remembering.advance(...step(1, 101))).toBe(true);
      expect(await engine.get(people, 'a')).toEqual({ n: 101 });
    });
  });
});

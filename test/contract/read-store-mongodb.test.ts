import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openMongoConnection } from '#libs/mongodb/connection.ts';
import { openMongoReadStore } from '#libs/read-store/mongodb.ts';
import { useFerretDb, openEngineOn } from '../support/ferretdb/engines.ts';
import { isFerretDbAvailable } from '../support/ferretdb/server.ts';
import { describeReadStoreContract } from './read-store.contract.ts';
import { neverRebuilt, collections, people } from '../support/contract/read-store-documents.ts';

describe.runIf(isFerretDbAvailable)('with a MongoDB-compatible server', () => {
  const testServer = useFerretDb();
  describeReadStoreContract('MongoDB', (wanted) =>
    openEngineOn(testServer.server, (url) => openMongoReadStore(url, wanted)),
  );

  describe('The read store in MongoDB', () => {
    const opened = async () => {
      const { engine, url, reopen, close } = await openEngineOn(testServer.server, (wanted) =>
        openMongoReadStore(wanted, collections),
      );
      const client = new MongoClient(url);
      onTestFinished(async () => {
        await client.close();
        await close();
      });
      return { engine, reopen, database: client.db() };
    };
    const person = (generation: string, id: string, document: object) => ({
      collection: people,
      generation,
      id,
      position: 1,
      document: { ...document },
    });

    it('stores each generation in its own collection with all indexes, and drops unused ones', async () => {
      const { engine, reopen, database } = await opened();
      const indexes = async (name: string) => (await database.collection(name).indexes()).length;
      await engine.write([person('', 'a', {})]);
      const generation = await engine.beginRebuild('people');
      await engine.write([person(generation, 'a', {})]);
      expect(await indexes(`documents.people@${generation}`)).toBe(await indexes('documents.people'));
      await engine.switchOver('people', { generation, position: 1 });
      await engine.dropUnusedGenerations();
      await reopen();
      const names = (await database.listCollections().toArray()).map(({ name }) => name);
      expect(names.filter((name) => name.startsWith('documents.people'))).toEqual([`documents.people@${generation}`]);
    });

    it('gives a model of a database that was dropped another empty generation, with all indexes', async () => {
      const { engine, database } = await opened();
      const indexes = async (name: string) => (await database.collection(name).indexes()).length;
      await engine.write([person('', 'a', {})]);
      const before = await indexes('documents.people');
      for (const position of [1, 2]) await engine.moveCheckpoints({ people: neverRebuilt }, position);
      await database.dropDatabase();
      await engine.write([person('', 'b', {})]);
      expect(await engine.moveCheckpoints({ people: { generation: '', position: 2 } }, 3)).toBe(false);
      const [serving] = await engine.servingGenerations(['people']);
      expect(await engine.get(people, 'b')).toBe(null);
      expect(await engine.moveCheckpoints({ people: serving! }, 3)).toBe(true);
      expect(await indexes(`documents.people@${serving!.generation}`)).toBe(before);
    });

    it('creates the indexes of a database that was dropped while nothing was written', async () => {
      const { engine, database } = await opened();
      const indexes = async () => (await database.collection('documents.people').indexes()).length;
      await engine.write([person('', 'a', {})]);
      const before = await indexes();
      await database.dropDatabase();
      await engine.write([person('', 'a', {})]);
      await engine.moveCheckpoints({ people: neverRebuilt }, 1);
      expect(await indexes()).toBe(before);
    });

    it('accepts batches of several megabytes', async () => {
      const { engine } = await opened();
      const large = Array.from({ length: 7 }, (_, n) =>
        person('', `${n}`, { n, text: randomBytes(500_000).toString('base64') }),
      );
      await engine.write(large);
      for (const { id, document } of large) expect(await engine.get(people, id)).toEqual(document);
    });
  });

  it('A connection that is closed while it is prepared still does the work that waits for it', async () => {
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const connection = openMongoConnection(testServer.server.url('closing'), 'READ_STORE_URL', () => {
      begun.resolve();
      return release.promise;
    });
    const work = connection.use(async () => 'done');
    await begun.promise;
    const closed = connection.close();
    release.resolve();
    expect(await work).toBe('done');
    await closed;
  });
});

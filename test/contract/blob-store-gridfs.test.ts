import { randomBytes } from 'node:crypto';
import { type Collection, MongoClient } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { openGridFsBlobStore } from '#libs/blob-store/gridfs.ts';
import { useFerretDb, openEngineOn } from '../support/ferretdb/engines.ts';
import { isFerretDbAvailable } from '../support/ferretdb/server.ts';
import { describeBlobStoreContract } from './blob-store.contract.ts';

type Chunk = { _id: string; data: Buffer };

const useCollections = async <T>(
  url: string,
  work: (chunks: Collection<Chunk>, files: Collection<{ _id: string }>) => Promise<T>,
): Promise<T> => {
  const client = new MongoClient(url, { promoteBuffers: true });
  try {
    return await work(client.db().collection('fs.chunks'), client.db().collection('fs.files'));
  } finally {
    await client.close();
  }
};

const corruptAt =
  (url: string) =>
  (sha256: string): Promise<void> =>
    useCollections(url, async (chunks) => {
      const { data } = (await chunks.findOne({ _id: `${sha256}/0` }))!;
      data[0]! ^= 1;
      await chunks.updateOne({ _id: `${sha256}/0` }, { $set: { data } });
    });

describe.runIf(isFerretDbAvailable)('with a MongoDB-compatible server', () => {
  const at = useFerretDb();
  const open = async () => {
    const opened = await openEngineOn(at.server, (url) => openGridFsBlobStore(url));
    return { ...opened, corrupt: corruptAt(opened.url) };
  };
  describeBlobStoreContract('GridFS', open);

  it('Chunks that a process left when it ended during a deletion are deleted by the next one, and no others', async () => {
    const { engine, url, close } = await open();
    const [{ sha256 }, other] = [await engine.put(randomBytes(300_000)), await engine.put(randomBytes(10))];
    await useCollections(url, async (chunks, files) => {
      await files.deleteOne({ _id: sha256 });
      expect(await chunks.countDocuments()).toBe(3);
      await engine.delete(sha256);
      expect((await chunks.find().toArray()).map(({ _id }) => _id)).toEqual([`${other.sha256}/0`]);
    });
    await close();
  });
});

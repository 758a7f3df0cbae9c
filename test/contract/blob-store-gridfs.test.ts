import { MongoClient } from 'mongodb';
import { describe } from 'vitest';
import { openGridFsBlobStore } from '#libs/blob-store/gridfs.ts';
import { useFerretDb, openEngineOn } from '../support/ferretdb/engines.ts';
import { isFerretDbAvailable } from '../support/ferretdb/server.ts';
import { describeBlobStoreContract } from './blob-store.contract.ts';

type Chunk = { _id: string; data: Buffer };

const corruptAt =
  (url: string) =>
  async (sha256: string): Promise<void> => {
    const client = new MongoClient(url, { promoteBuffers: true });
    const chunks = client.db().collection<Chunk>('fs.chunks');
    const { data } = (await chunks.findOne({ _id: `${sha256}/0` }))!;
    data[0]! ^= 1;
    await chunks.updateOne({ _id: `${sha256}/0` }, { $set: { data } });
    await client.close();
  };

describe.runIf(isFerretDbAvailable)('with a MongoDB-compatible server', () => {
  const at = useFerretDb();
  const open = async () => {
    const opened = await openEngineOn(at.server, (url) => openGridFsBlobStore(url));
    return { ...opened, corrupt: corruptAt(opened.url) };
  };
  describeBlobStoreContract('GridFS', open);
});

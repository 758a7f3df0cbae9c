import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createBlobCache } from './cache.ts';
import { deferPuts } from './defer-puts.ts';
import { openFileBlobStore } from './file.ts';
import { BlobNotFound, type BlobStore } from './port.ts';

let folder: string;
let files: BlobStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'defer-puts-'));
  files = await openFileBlobStore(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const bytesOf = (length: number, value = 7): Uint8Array => new Uint8Array(length).fill(value);

it('Deferred blobs are not stored, but can be read', async () => {
  const blobs = deferPuts(createBlobCache().wrap({ ...files, maxAppendedBytes: 100 }));
  const given = bytesOf(10);
  const ref = await blobs.put(given);
  given.fill(0);
  expect(blobs.deferred()).toEqual([{ sha256: ref.sha256, bytes: bytesOf(10) }]);
  expect([await blobs.get(ref.sha256), await blobs.has(ref.sha256)]).toEqual([bytesOf(10), true]);
  expect([ref.size, await files.has(ref.sha256)]).toEqual([10, false]);
});

it('Blobs are stored at once when together they do not fit into an append', async () => {
  const blobs = deferPuts(createBlobCache().wrap({ ...files, maxAppendedBytes: 100 }));
  const refs = [await blobs.put(bytesOf(60, 1)), await blobs.put(bytesOf(50, 2)), await blobs.put(bytesOf(40, 3))];
  expect(blobs.deferred().map(({ sha256 }) => sha256)).toEqual([refs[0]!.sha256, refs[2]!.sha256]);
  expect(await files.has(refs[1]!.sha256)).toBe(true);
});

it('A blob store that no event log shares stores every blob at once', async () => {
  const blobs = deferPuts(createBlobCache().wrap(files));
  const { sha256 } = await blobs.put(bytesOf(1));
  expect([blobs.deferred(), await files.has(sha256)]).toEqual([[], true]);
});

it('Deferred blobs are in the cache once they are put there', async () => {
  const cached = createBlobCache().wrap({ ...files, maxAppendedBytes: 100 });
  const blobs = deferPuts(cached);
  const { sha256 } = await blobs.put(bytesOf(10));
  await expect(cached.get(sha256)).rejects.toThrow(BlobNotFound);
  blobs.cacheDeferred();
  expect(await cached.get(sha256)).toEqual(bytesOf(10));
});

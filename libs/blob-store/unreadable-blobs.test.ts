import { expect, test } from 'vitest';
import { createUnreadableBlobs } from './unreadable-blobs.ts';
import { BlobNotFound, type BlobStore } from './port.ts';

/** A store that has what `there` holds, or fails as `trouble` says. */
const openTestStore = () => {
  const there = new Set<string>();
  const damaged = new Set<string>();
  const at = { now: 0, trouble: null as Error | null, reads: 0 };
  const blobs = {
    get: async (sha256: string) => {
      at.reads += 1;
      if (at.trouble) throw at.trouble;
      if (!there.has(sha256) || damaged.has(sha256)) throw new BlobNotFound(sha256);
      return Buffer.from(sha256);
    },
    has: async (sha256: string) => at.trouble === null && there.has(sha256),
  } as unknown as BlobStore;
  const unreadable = createUnreadableBlobs({ checkIntervalMs: 1, forgetAfterMs: 1_000, clock: () => at.now });
  return { there, damaged, at, unreadable, store: unreadable.wrap(blobs) };
};

test('a blob that could not be read is reported until the store has it again', async () => {
  const { there, unreadable, store } = openTestStore();
  await expect(store.get('a')).rejects.toThrow(BlobNotFound);
  await expect(store.get('b')).rejects.toThrow(BlobNotFound);
  expect(unreadable.missing()).toEqual([
    expect.stringMatching(/2 blobs \(a is one\), but the blob store lacks them.*BLOB_STORE_URL/),
  ]);
  there.add('a');
  await expect.poll(() => unreadable.missing()).toEqual([expect.stringContaining('the blob b')]);
  there.add('b');
  await expect.poll(() => unreadable.missing()).toEqual([]);
});

test('a blob with damaged bytes is reported until its bytes are right again', async () => {
  const { there, damaged, at, unreadable, store } = openTestStore();
  there.add('a');
  damaged.add('a');
  await expect(store.get('a')).rejects.toThrow(BlobNotFound);
  await expect.poll(() => at.reads).toBeGreaterThan(3);
  expect(unreadable.missing()).toEqual([
    expect.stringContaining('the blob a, but the blob store lacks it or holds damaged bytes'),
  ]);
  damaged.delete('a');
  await expect.poll(() => unreadable.missing()).toEqual([]);
});

test('a blob is no longer reported some time after the last request for it', async () => {
  const { at, unreadable, store } = openTestStore();
  await expect(store.get('a')).rejects.toThrow(BlobNotFound);
  at.now = 1_001;
  await expect.poll(() => unreadable.missing()).toEqual([]);
});

test('a store that cannot be read is reported with the reason, and a closed connection is not', async () => {
  const { at, there, unreadable, store } = openTestStore();
  there.add('a');
  at.trouble = new Error('the connection is closed');
  await expect(store.get('a')).rejects.toThrow('closed');
  expect(unreadable.missing()).toEqual([]);
  at.trouble = Object.assign(new Error('/secret/place'), { code: 'EIO' });
  await expect(store.get('a')).rejects.toThrow('place');
  expect(unreadable.missing()).toEqual([expect.stringMatching(/^The blob store cannot read the blob a \(EIO\)\. /)]);
  at.trouble = null;
  await store.get('a');
  expect(unreadable.missing()).toEqual([]);
});

import { expect, test } from 'vitest';
import { createUnreadableBlobs } from './unreadable-blobs.ts';
import { BlobNotFound, type BlobStore } from './port.ts';

/** A store with the blobs in `stored`. Reads fail with `readError` if it is set. */
const openTestStore = () => {
  const stored = new Set<string>();
  const damaged = new Set<string>();
  const state = { now: 0, readError: null as Error | null, reads: 0 };
  const blobs = {
    get: async (sha256: string) => {
      state.reads += 1;
      if (state.readError) throw state.readError;
      if (!stored.has(sha256) || damaged.has(sha256)) throw new BlobNotFound(sha256);
      return Buffer.from(sha256);
    },
    has: async (sha256: string) => state.readError === null && stored.has(sha256),
  } as unknown as BlobStore;
  const unreadable = createUnreadableBlobs({ checkIntervalMs: 1, forgetAfterMs: 1_000, clock: () => state.now });
  return { stored, damaged, state, unreadable, store: unreadable.wrap(blobs) };
};

test('a blob that could not be read is reported until the store has it again', async () => {
  const { stored, unreadable, store } = openTestStore();
  await expect(store.get('a')).rejects.toThrow(BlobNotFound);
  await expect(store.get('b')).rejects.toThrow(BlobNotFound);
  expect(unreadable.missing()).toEqual([
    expect.stringMatching(/2 blobs \(a is one\), but the blob store lacks them.*BLOB_STORE_URL/),
  ]);
  stored.add('a');
  await expect.poll(() => unreadable.missing()).toEqual([expect.stringContaining('the blob b')]);
  stored.add('b');
  await expect.poll(() => unreadable.missing()).toEqual([]);
});

test('a blob with damaged bytes is reported until its bytes are right again', async () => {
  const { stored, damaged, state, unreadable, store } = openTestStore();
  stored.add('a');
  damaged.add('a');
  await expect(store.get('a')).rejects.toThrow(BlobNotFound);
  await expect.poll(() => state.reads).toBeGreaterThan(3);
  expect(unreadable.missing()).toEqual([
    expect.stringContaining('the blob a, but the blob store lacks it or holds damaged bytes'),
  ]);
  damaged.delete('a');
  await expect.poll(() => unreadable.missing()).toEqual([]);
});

test('a blob is no longer reported some time after its last request', async () => {
  const { state, unreadable, store } = openTestStore();
  await expect(store.get('a')).rejects.toThrow(BlobNotFound);
  state.now = 1_001;
  await expect.poll(() => unreadable.missing()).toEqual([]);
});

test('a store that cannot be read is reported with the reason, and a closed connection is not', async () => {
  const { state, stored, unreadable, store } = openTestStore();
  stored.add('a');
  state.readError = new Error('the connection is closed');
  await expect(store.get('a')).rejects.toThrow('closed');
  expect(unreadable.missing()).toEqual([]);
  state.readError = Object.assign(new Error('/secret/place'), { code: 'EIO' });
  await expect(store.get('a')).rejects.toThrow('place');
  expect(unreadable.missing()).toEqual([expect.stringMatching(/^The blob store cannot read the blob a \(EIO\)\. /)]);
  state.readError = null;
  await store.get('a');
  expect(unreadable.missing()).toEqual([]);
});

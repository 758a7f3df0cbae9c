import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BlobCacheOptions, createBlobCache } from './cache.ts';
import { BlobNotFound, type BlobStore } from './port.ts';

/** A store that records its calls. */
const openCountingStore = () => {
  const stored = new Map<string, Uint8Array>();
  const calls: string[] = [];
  const blobs: BlobStore = {
    maxAppendedBytes: 0,
    put: async (bytes) => {
      const sha256 = hash('sha256', bytes, 'hex');
      calls.push('put');
      stored.set(sha256, new Uint8Array(bytes));
      return { sha256, size: bytes.byteLength };
    },
    get: async (sha256) => {
      calls.push('get');
      const bytes = stored.get(sha256);
      if (!bytes) throw new BlobNotFound(sha256);
      return bytes;
    },
    has: async (sha256) => stored.has(sha256),
    delete: async (sha256) => stored.delete(sha256),
    installationId: async () => null,
    setInstallationId: async (installation) => installation,
    close: async () => undefined,
  };
  return { blobs, calls };
};

describe('A blob cache', () => {
  it('returns a blob that one wrapped store has put to every wrapped store, without a read', async () => {
    const [{ blobs, calls }, cache] = [openCountingStore(), createBlobCache()];
    const { sha256 } = await cache.wrap(blobs).put(Buffer.from('data'));
    expect(Buffer.from(await cache.wrap(blobs).get(sha256)).toString()).toBe('data');
    expect(calls).toEqual(['put']);
  });

  it('reads an unknown blob once, and writes no blob twice', async () => {
    const [{ blobs, calls }, cache] = [openCountingStore(), createBlobCache()];
    const { sha256 } = await blobs.put(Buffer.from('data'));
    const store = cache.wrap(blobs);
    for (let time = 0; time < 3; time += 1) expect((await store.get(sha256)).byteLength).toBe(4);
    expect(await store.put(Buffer.from('data'))).toEqual({ sha256, size: 4 });
    expect(calls).toEqual(['put', 'get']);
  });

  it('does not cache a blob whose write failed, or a missing blob', async () => {
    const { blobs } = openCountingStore();
    let fails = true;
    const store = createBlobCache().wrap({
      ...blobs,
      put: async (bytes) => (fails ? Promise.reject(new Error('no disk')) : blobs.put(bytes)),
    });
    await expect(store.put(Buffer.from('data'))).rejects.toThrow('no disk');
    const sha256 = hash('sha256', 'data', 'hex');
    await expect(store.get(sha256)).rejects.toThrow(BlobNotFound);
    fails = false;
    await store.put(Buffer.from('data'));
    expect((await blobs.get(sha256)).byteLength).toBe(4);
  });

  const readsAfterCaching = async (size: BlobCacheOptions, texts: readonly string[]): Promise<number> => {
    const { blobs, calls } = openCountingStore();
    const store = createBlobCache(size).wrap(blobs);
    const written = await Promise.all(texts.map((text) => store.put(Buffer.from(text))));
    calls.length = 0;
    for (const { sha256 } of written) await store.get(sha256);
    return calls.length;
  };

  it('holds no more than its maximum size, and no large blob', async () => {
    const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(5_000));
    expect(await readsAfterCaching({ maxBlobBytes: 5_000, maxTotalBytes: 12_000 }, texts)).toBeGreaterThanOrEqual(1);
    expect(await readsAfterCaching({ maxBlobBytes: 5_000, maxTotalBytes: 20_000 }, texts)).toBe(0);
    expect(await readsAfterCaching({ maxBlobBytes: 4_999, maxTotalBytes: 20_000 }, texts)).toBe(3);
  });

  it('does not exceed its size with a large number of tiny blobs', async () => {
    const texts = Array.from({ length: 100 }, (_, number) => `${number}`);
    expect(await readsAfterCaching({ maxBlobBytes: 1_000, maxTotalBytes: 5_000 }, texts)).toBeGreaterThan(80);
  });

  it('does not keep the large buffer that a blob is a slice of', async () => {
    const { blobs } = openCountingStore();
    const large = Buffer.from('ababababab');
    const sha256 = hash('sha256', 'ab', 'hex');
    const store = createBlobCache().wrap({ ...blobs, get: async () => large.subarray(2, 4) });
    await store.get(sha256);
    expect((await store.get(sha256)).buffer.byteLength).toBe(2);
  });

  it('returns the bytes that were put, even if the buffer changes later', async () => {
    const [{ blobs }, cache] = [openCountingStore(), createBlobCache({ maxBlobBytes: 40, maxTotalBytes: 2_000 })];
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 50 }), async (bytes) => {
        const before = Buffer.from(bytes).toString('hex');
        const { sha256 } = await cache.wrap(blobs).put(bytes);
        bytes.fill(0);
        expect(Buffer.from(await cache.wrap(blobs).get(sha256)).toString('hex')).toBe(before);
      }),
    );
  });
});

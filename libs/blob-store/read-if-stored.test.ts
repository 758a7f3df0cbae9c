import { expect, test, vi } from 'vitest';
import { BlobNotFound } from './port.ts';
import { readIfStored } from './read-if-stored.ts';

test('A blob that may be gone is asked for first, and is null if it is gone then or a moment later', async () => {
  const get = vi.fn<(sha256: string) => Promise<Uint8Array>>((sha256) => Promise.reject(new BlobNotFound(sha256)));
  expect(await readIfStored({ has: async () => false, get }, 'a')).toBeNull();
  expect(get).not.toHaveBeenCalled();
  expect(await readIfStored({ has: async () => true, get }, 'a')).toBeNull();
  get.mockRejectedValueOnce(new Error('The disk is gone.'));
  await expect(readIfStored({ has: async () => true, get }, 'a')).rejects.toThrow('The disk is gone.');
  get.mockResolvedValueOnce(Buffer.from('bytes'));
  expect(await readIfStored({ has: async () => true, get }, 'a')).toEqual(Buffer.from('bytes'));
});
